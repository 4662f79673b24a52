/** Longest token of a provider. */
const MAX_TOKEN = 16_384;

/** Does the text have the form of a provider's signed token (JWS)? */
export function isSignedToken(text: string): boolean {
  return text.length <= MAX_TOKEN && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}
