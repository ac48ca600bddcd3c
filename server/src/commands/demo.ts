import { setTimeout as wait } from 'node:timers/promises';

import { DEMO_CUSTOMER } from '../config.ts';

interface Envelope<Data> {
  readonly success: boolean;
  readonly message: string;
  readonly data: Data;
}

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const PATIENCE_MS = 30_000;

/** Walks the main job on a running service as a customer would, telling each step and how long it took. */
export async function walkMainJob(options: { url: string; sandbox: string }): Promise<void> {
  const { url, sandbox } = options;
  const beganAt = Date.now();
  const step = createSteps();

  const { accessToken } = await step('signing in', () =>
    call<{ accessToken: string }>(`${url}/api/v1/auth/sign-in`, { body: DEMO_CUSTOMER }),
  );
  const variant = await step('choosing a gift card that is in stock', () => chooseVariant(url));
  const to = `demo-${Date.now()}@example.com`;
  const order = await step(`ordering 2 × ${variant.title}`, () =>
    call<{ id: number; order_number: string; payment: { paymentGatewayUrl: string; transactionId: string } }>(
      `${url}/api/v1/orders`,
      {
        token: accessToken,
        body: {
          items: [{ variant_id: variant.id, quantity: 2, fulfillment_input: { email: to } }],
          payment_method: 'gw_aggregator',
        },
      },
    ),
  );
  await step('paying on the gateway’s page (the sandbox clicks)', () =>
    call(`${sandbox}/_control/pay`, { body: { url: order.payment.paymentGatewayUrl, outcome: 'success' } }),
  );
  await step('waiting for SUCCEEDED', () => waitForOrder(url, accessToken, order.id));
  const mail = await step('reading the inbox', () => findMail(sandbox, to));
  console.log(`\n${mail.subject}\nto ${mail.to}\n\n${mail.text}`);
  console.log(`Order ${order.order_number}: from sign-in to the codes in ${seconds(beganAt)}`);
}

const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(2)} s`;

function createSteps() {
  let number = 0;
  return async function step<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const since = Date.now();
    number += 1;
    process.stdout.write(`${number}. ${what} … `);
    const value = await work();
    console.log(seconds(since));
    return value;
  };
}

async function call<Data>(url: string, request: { token?: string; body?: unknown } = {}): Promise<Data> {
  const response = await fetch(url, {
    method: request.body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(request.token ? { authorization: `Bearer ${request.token}` } : {}),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error: unknown) => {
    throw new Error(`${new URL(url).origin} does not answer: is \`npm start\` running in another terminal?`, {
      cause: error,
    });
  });
  const answer = (await response.json()) as Envelope<Data>;
  if (!response.ok)
    throw new Error(`${new URL(url).pathname} answered ${response.status}: ${answer.message}`);
  return answer.data ?? (answer as Data);
}

interface Listed {
  readonly items: readonly {
    readonly name: string;
    readonly fulfillment_input: {
      readonly identifier_field: string;
      readonly fields: readonly { required: boolean }[];
    };
    readonly variants: readonly {
      readonly id: number;
      readonly name: string;
      readonly in_stock: boolean;
      readonly fulfillment: { readonly engine: string };
    }[];
  }[];
}

async function chooseVariant(url: string): Promise<{ id: number; title: string }> {
  const { items } = await call<Listed>(`${url}/api/v1/products?limit=100`);
  for (const product of items) {
    const { identifier_field: identifier, fields } = product.fulfillment_input;
    if (identifier !== 'email' || fields.filter((field) => field.required).length > 1) continue;
    const variant = product.variants.find((one) => one.in_stock && one.fulfillment.engine === 'PRELOADED');
    if (variant) return { id: variant.id, title: `${product.name} ${variant.name}` };
  }
  throw new Error('Nothing that is delivered by e-mail is in stock: load some codes first');
}

async function waitForOrder(url: string, token: string, id: number): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const order = await call<{ status: string; status_label: string }>(`${url}/api/v1/orders/${id}`, {
      token,
    });
    if (order.status === 'SUCCEEDED') return;
    if (Date.now() > until) throw new Error(`The order still reads ${order.status} (${order.status_label})`);
    await wait(100);
  }
}

async function findMail(sandbox: string, to: string): Promise<Mail> {
  const { items } = await call<{ items: Mail[] }>(`${sandbox}/_control/mail?to=${encodeURIComponent(to)}`);
  const [mail, ...more] = items;
  if (!mail || more.length > 0) throw new Error(`Expected exactly one e-mail, found ${items.length}`);
  return mail;
}
