import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/server/graphql/schema/schema.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Every description of the schema, with its place. */
const descriptions = Object.values(schema.getTypeMap())
  .filter((type) => !isIntrospectionType(type))
  .flatMap((type): [place: string, text: string][] => {
    const own: [string, string][] = [[type.name, type.description ?? '']];
    if (isEnumType(type))
      return [
        ...own,
        ...type
          .getValues()
          .map((value): [string, string] => [
            `${type.name}.${value.name}`,
            value.description ?? '',
          ]),
      ];
    if (isObjectType(type) || isInterfaceType(type))
      return [
        ...own,
        ...Object.values(type.getFields()).flatMap((field): [string, string][] => [
          [`${type.name}.${field.name}`, field.description ?? ''],
          ...field.args.map((arg): [string, string] => [
            `${type.name}.${field.name}(${arg.name}:)`,
            arg.description ?? '',
          ]),
        ]),
      ];
    if (isInputObjectType(type))
      return [
        ...own,
        ...Object.values(type.getFields()).map((field): [string, string] => [
          `${type.name}.${field.name}`,
          field.description ?? '',
        ]),
      ];
    return own;
  });

it('says of every part of the schema what it is, and only then what REST calls it', () => {
  expect(descriptions.length).toBeGreaterThan(900);
  const faulty = descriptions.filter(
    ([, text]) => !/^[A-ZÄÖÜ][^]{3,}\.$/.test(text) || /^(REST|True|False|Null)\b/.test(text),
  );
  expect(faulty).toEqual([]);
});

/** Marks of decisions and features, which only our own documents explain. */
const MARK = /\b[DF]-?\d{2,3}\b/;

it('has no marks of our documents in the schema or in /openapi.json', async () => {
  expect(descriptions.filter(([, text]) => MARK.test(text))).toEqual([]);
  const marked: string[] = [];
  JSON.stringify((await app.rest('/openapi.json')).json, (key, value: unknown) => {
    if (/^(description|summary)$/.test(key) && typeof value === 'string' && MARK.test(value))
      marked.push(value);
    return value;
  });
  expect(marked).toEqual([]);
});
