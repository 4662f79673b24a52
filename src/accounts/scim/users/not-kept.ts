/** Attributes of RFC 7643 that Trivium does not keep. */
const notKept = new Set(
  'nickname profileurl title usertype preferredlanguage phonenumbers ims photos addresses entitlements roles x509certificates manager'.split(
    ' ',
  ),
);

/** Attributes of which Trivium keeps some parts. */
const partly = /^(name|emails|enterprise)\./;

/**
 * Is it the canonical name of an attribute (or part) that is known but may not be kept? Directories send these unasked,
 * and compare them.
 */
export function isNotKept(path: string): boolean {
  const [whole = ''] = path.split('.');
  return notKept.has(whole) || partly.test(path);
}
