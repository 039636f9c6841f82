import type { SchemaBuilder } from '#rest';
import type { ZodType } from 'zod';
import type { EmailBody, SmsBody } from './bodies.ts';

const limit = 2048;

/** Text without control characters, which could end a header or a line of SMTP, and without halves of characters. */
function line(z: SchemaBuilder) {
  return z
    .string()
    .max(limit, `must not be longer than ${limit} characters`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not have control characters');
}

function property(z: SchemaBuilder) {
  return z.strictObject({
    key: line(z),
    value: z.union(
      [
        z
          .string()
          .max(65_536)
          .regex(/^[^\p{Cs}]*$/u, 'must be whole characters'),
        z.boolean(),
        z.number(),
      ],
      'must be a text',
    ),
  });
}

function properties(z: SchemaBuilder) {
  return z.array(property(z)).max(200).nullish();
}

function emailFields(z: SchemaBuilder) {
  return {
    smtpServerHost: line(z).nullish(),
    smtpPort: z.number().int().min(1).max(65_535).nullish(),
    fromAddress: line(z),
    userName: line(z).nullish(),
    password: line(z).nullish(),
    properties: properties(z),
  };
}

function smsFields(z: SchemaBuilder) {
  return {
    provider: line(z),
    providerURL: line(z),
    key: line(z).nullish(),
    secret: line(z).nullish(),
    sender: line(z).nullish(),
    contentType: z.enum(['JSON', 'FORM']).nullish(),
    properties: properties(z),
  };
}

/** Bodies of requests and answers (identity 6.3). */
export const schemas = {
  emailAdd: (z: SchemaBuilder): ZodType<EmailBody> => z.strictObject({ name: line(z).nullish(), ...emailFields(z) }),
  emailUpdate: (z: SchemaBuilder): ZodType<EmailBody> => z.strictObject(emailFields(z)),
  email: (z: SchemaBuilder) => z.object({ name: z.string(), ...emailFields(z) }),
  emails: (z: SchemaBuilder) => z.array(schemas.email(z)),
  smsAdd: (z: SchemaBuilder): ZodType<SmsBody> => z.strictObject({ name: line(z).nullish(), ...smsFields(z) }),
  smsUpdate: (z: SchemaBuilder): ZodType<SmsBody> => z.strictObject(smsFields(z)),
  sms: (z: SchemaBuilder) => z.object({ name: z.string(), ...smsFields(z) }),
  smses: (z: SchemaBuilder) => z.array(schemas.sms(z)),
  error: (z: SchemaBuilder) =>
    z.object({ code: z.string(), message: z.string(), description: z.string(), traceId: z.string() }),
};
