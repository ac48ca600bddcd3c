import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { languageOf } from '../../platform/language.ts';
import { redemptionLimits } from '../../modules/redemption/index.ts';
import type { Redemption } from '../../modules/redemption/index.ts';
import { AppError } from '../../platform/errors.ts';
import { toAppError } from '../../platform/http/errors-to-envelope.ts';
import { sendPage } from '../page.ts';
import type { Page } from '../page.ts';
import { redeemTexts } from './redeem-texts.ts';
import { enterCodePage, offerPage, redeemPath, refusedPage, revealedPage } from './redeem-views.ts';
import type { Written } from './redeem-views.ts';

/** Far more than the form can hold. */
const BODY_LIMIT_BYTES = 16 * 1024;
const route = { schema: { hide: true }, config: { access: 'anonymous', limits: redemptionLimits } } as const;

type Counter = Redemption['counter'];
interface CodeRequest {
  Params: { code: string };
  Body: Readonly<Record<string, string | string[]>> | undefined;
}

/**
 * Where printed QR codes lead: what the code is good for, a form, and what it gives. Plain pages without a script, by
 * the same rules, limits and log as the API (interface part 4, redemption). Opening a link never takes a code: scanners
 * of mail and messages open them too.
 */
export function serveRedeemPages(app: FastifyInstance, counter: Counter): void {
  app.register(async (scope) => {
    scope.register(formbody, { bodyLimit: BODY_LIMIT_BYTES });
    scope.setErrorHandler((error, request, reply) => {
      const known = toAppError(error);
      if (known.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'page failed');
      if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds));
      return sendPage(reply, errorPage(known, textsFor(request)));
    });

    scope.get<{ Querystring: { code?: unknown } }>('/redeem', route, (request, reply) => {
      const given = request.query.code;
      const code = typeof given === 'string' ? given.trim() : '';
      if (code === '') return sendPage(reply, enterCodePage(textsFor(request)));
      return reply.redirect(redeemPath(code.slice(0, 200), textsFor(request)), 303);
    });
    scope.get<CodeRequest>('/redeem/:code', route, async (request, reply) =>
      sendPage(reply, await offer(counter, request)),
    );
    scope.post<CodeRequest>('/redeem/:code', route, (request, reply) => redeem(counter, request, reply));
  });
}

async function offer(
  counter: Counter,
  request: FastifyRequest<CodeRequest>,
  form: { status: number; problem?: string; given?: { phone: string; email: string } } = { status: 200 },
): Promise<Page> {
  const { code: token } = request.params;
  const { status, campaign } = await counter.lookUp({ token, request });
  return offerPage({
    ...textsFor(request),
    ...form,
    token,
    title: campaign.headline ?? campaign.name,
    description: campaign.description,
    callToAction: campaign.cta_text,
    isRedeemed: status === 'redeemed',
  });
}

async function redeem(
  counter: Counter,
  request: FastifyRequest<CodeRequest>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const said = textsFor(request);
  const given = { phone: fieldOf(request, 'phone'), email: fieldOf(request, 'email') };
  // A form on somebody else's page may not take a code in a visitor's name; they get to see what it would be.
  if (request.headers['sec-fetch-site'] === 'cross-site')
    return sendPage(reply, await offer(counter, request));
  try {
    const { voucherCode, instructions } = await counter.redeem({
      token: request.params.code,
      ...given,
      request,
    });
    return sendPage(reply, revealedPage({ ...said, voucherCode, instructions, email: given.email }));
  } catch (error) {
    const problem = formProblem(error, said);
    if (problem === undefined) throw error;
    return sendPage(reply, await offer(counter, request, { status: 400, problem, given }));
  }
}

/** What the visitor can mend in the form. */
function formProblem(error: unknown, { texts }: Written): string | undefined {
  if (!(error instanceof AppError)) return undefined;
  if (error.code === 'VALIDATION_ERROR') return texts.wrongEmail;
  return refusalOf(error) === 'phone_required' ? texts.refusals.phone_required : undefined;
}

function errorPage(error: AppError, said: Written): Page {
  const { texts } = said;
  const refusal = refusalOf(error);
  if (refusal !== undefined)
    return refusedPage({ ...said, status: error.status, message: texts.refusals[refusal] });
  if (error.code === 'TOO_MANY_REQUESTS')
    return refusedPage({ ...said, status: error.status, message: texts.slowDown });
  if (error.status < 500)
    return refusedPage({ ...said, status: error.status, message: texts.refusals.unknown_code });
  return refusedPage({ ...said, status: error.status, message: texts.broken, title: texts.brokenTitle });
}

function refusalOf({ data }: AppError): keyof (typeof redeemTexts)['en']['refusals'] | undefined {
  const code = (data as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && code in redeemTexts.en.refusals
    ? (code as keyof (typeof redeemTexts)['en']['refusals'])
    : undefined;
}

function fieldOf(request: FastifyRequest<CodeRequest>, name: string): string {
  const value = request.body?.[name];
  return typeof value === 'string' ? value.trim().slice(0, 254) : '';
}

function textsFor({ query, headers }: FastifyRequest): Written {
  const { lang } = query as { lang?: unknown };
  const asked = typeof lang === 'string' ? lang : undefined;
  const language = languageOf(asked, headers['accept-language']);
  return { language, texts: redeemTexts[language], isAsked: asked !== undefined };
}
