import type { FastifyRequest } from 'fastify';

/**
 * The fields of a request as text, from query, form, multipart or JSON alike; empty ones
 * count as absent, since clients send every optional field as an empty string.
 */
export function fieldsOf(request: FastifyRequest): Record<string, string> {
  return { ...textFields(request.query), ...textFields(request.body) };
}

function textFields(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  const fields: Record<string, string> = {};
  for (const [name, field] of Object.entries(value)) {
    const text = textOf(field);
    if (text !== '') fields[name] = text;
  }
  return fields;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  return JSON.stringify(value);
}
