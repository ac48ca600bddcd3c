import { randomUUID } from 'node:crypto';

import type { App } from '../../src/app.ts';
import { importVouchers } from '../../src/modules/vouchers/index.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { systemClock } from '../../src/platform/time.ts';
import type { TestService } from './test-service.ts';

/** A running service, of a test or of a benchmark. */
export interface RunningService {
  readonly url: string;
  readonly db: Database;
  readonly app: App;
}

export interface VariantOptions {
  readonly priceMinor?: number;
  readonly codes?: readonly string[];
  readonly engine?: 'PRELOADED' | 'PARTNER';
  readonly mode?: 'CODE' | 'TOPUP';
  readonly maxQuantity?: number;
  readonly fulfillmentConfig?: unknown;
}

/** A product with one variant and its codes. @returns ids. */
export async function aVariant(
  service: RunningService,
  options: VariantOptions = {},
): Promise<{ variantId: number; productId: number; brandId: number }> {
  const slug = randomUUID();
  const config = options.fulfillmentConfig ?? {
    fields: [{ name: 'email', label: 'E-mail', type: 'email', required: true }],
  };
  const { rows } = await service.db.query<{ variant_id: number; product_id: number; brand_id: number }>(
    `WITH brand AS (INSERT INTO brands (name, slug) VALUES ('Brand', $1) RETURNING id),
     category AS (INSERT INTO categories (name, slug) VALUES ('Category', $1) RETURNING id),
     type AS (INSERT INTO product_types (name, slug) VALUES ('Type', $1) RETURNING id),
     product AS (
       INSERT INTO products (brand_id, category_id, product_type_id, name, slug, status, mode, fulfillment_config)
       SELECT brand.id, category.id, type.id, 'Gift card', $1, 'active', $2, $3 FROM brand, category, type
       RETURNING id, brand_id)
     INSERT INTO product_variants (product_id, name, sku, price_minor, engine, max_quantity)
     SELECT product.id, '500 BDT', $1, $4, $5, $6 FROM product
     RETURNING id AS variant_id, product_id, (SELECT brand_id FROM product) AS brand_id`,
    [
      slug,
      options.mode ?? 'CODE',
      JSON.stringify(config),
      options.priceMinor ?? 50_000,
      options.engine ?? 'PRELOADED',
      options.maxQuantity ?? 10,
    ],
  );
  const row = rows[0];
  if (!row) throw new Error('no variant');
  if (options.codes && options.codes.length > 0) await loadCodes(service, row.variant_id, options.codes);
  return { variantId: row.variant_id, productId: row.product_id, brandId: row.brand_id };
}

export async function loadCodes(
  service: RunningService,
  variantId: number,
  codes: readonly string[],
): Promise<void> {
  const { rows } = await service.db.query<{ brand_id: number }>(
    'SELECT brand_id FROM products JOIN product_variants ON product_id = products.id WHERE product_variants.id = $1',
    [variantId],
  );
  const { box, catalogue } = service.app;
  const summary = await importVouchers(
    { db: service.db, box, clock: systemClock },
    {
      variantId,
      brandId: rows[0]?.brand_id ?? 0,
      rows: codes.map((code, index) => ({ line: index + 1, code })),
    },
  );
  if (summary.imported !== codes.length) throw new Error('not every code was imported');
  catalogue.noteChange();
}

/** `prefix-1`, `prefix-2`, … */
export function someCodes(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
}

export interface Customer {
  readonly userId: number;
  readonly token: string;
  readonly email: string;
}

const PASSWORD = 'a-long-test-password';
let numbers = 0;

/** A signed-in customer. */
export async function aCustomer(service: RunningService): Promise<Customer> {
  numbers += 1;
  const msisdn = `+88017${String(10_000_000 + numbers)}`;
  const email = `customer-${randomUUID()}@example.com`;
  await service.app.identity.ensureDemoCustomer({ msisdn, name: 'Test Customer', email, password: PASSWORD });
  const signedIn = await call<{ accessToken: string; user: { id: number } }>(service, {
    path: '/auth/sign-in',
    body: { msisdn, password: PASSWORD },
  });
  return { userId: signedIn.data.user.id, token: signedIn.data.accessToken, email };
}

/** A signed-in super_admin. */
export async function anAdminToken(service: TestService): Promise<string> {
  const email = `admin-${randomUUID()}@example.com`;
  await service.app.identity.ensureFirstAdmin({ email, password: PASSWORD });
  const loggedIn = await call<{ accessToken: string }>(service, {
    path: '/admin/auth/login',
    body: { email, password: PASSWORD },
  });
  return loggedIn.data.accessToken;
}

export interface Answered<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly success: boolean;
  readonly message: string;
  readonly data: Data;
  readonly errorCode?: string;
  readonly errors?: readonly { field: string; message: string }[];
}

export interface CallOptions {
  readonly path: string;
  readonly method?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the client API as a client would, over HTTP. */
export async function call<Data>(service: RunningService, options: CallOptions): Promise<Answered<Data>> {
  const { path, token, body } = options;
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const envelope = (await response.json()) as Omit<Answered<Data>, 'status' | 'headers'>;
  return { ...envelope, status: response.status, headers: response.headers };
}

export interface OrderAnswer {
  readonly id: number;
  readonly order_number: string;
  readonly status: string;
  readonly status_label: string;
  readonly status_severity: string;
  readonly items: readonly {
    id: number;
    fulfilled: boolean;
    fulfillment_status: string;
    voucher_codes: string[];
  }[];
  readonly total_amount: number;
  readonly voucher_codes: string[];
  readonly dispatched_email: string | null;
  readonly email_sent_at: string | null;
  readonly payment?: { transactionId: string; paymentGatewayUrl: string; status: string };
}

/** Orders and opens a payment session. */
export function order(
  service: TestService,
  customer: Customer,
  wanted: { variantId: number; quantity?: number; method?: string } & Readonly<Record<string, unknown>>,
): Promise<Answered<OrderAnswer>> {
  const { variantId, quantity = 1, method = 'gw_aggregator', ...more } = wanted;
  return call<OrderAnswer>(service, {
    path: '/orders',
    token: customer.token,
    body: {
      items: [{ variant_id: variantId, quantity, fulfillment_input: { email: customer.email } }],
      payment_method: method,
      ...more,
    },
  });
}

export function readOrder(
  service: TestService,
  customer: Customer,
  id: number,
): Promise<Answered<OrderAnswer>> {
  return call<OrderAnswer>(service, { path: `/orders/${id}`, token: customer.token });
}

/** What a person on the checkout page does. */
export async function pay(
  service: TestService,
  placed: OrderAnswer | string,
  outcome: 'success' | 'failure' | 'cancel' = 'success',
): Promise<void> {
  const url = typeof placed === 'string' ? placed : placed.payment?.paymentGatewayUrl;
  await control(service, '/pay', { url, outcome });
}

export async function control<Data>(
  service: TestService,
  path: string,
  body?: unknown,
  method?: string,
): Promise<Data> {
  const response = await fetch(`${service.sandboxUrl}/_control${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`sandbox ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Data;
}

export function fault(
  service: TestService,
  planned: { target: string; fault: string; times?: number; call?: string; delayMs?: number },
): Promise<unknown> {
  return control(service, '/faults', { times: 1, ...planned });
}

export async function mailsTo(
  service: TestService,
  to: string,
): Promise<{ subject: string; text: string; html: string; messageId: string }[]> {
  const { items } = await control<{
    items: { subject: string; text: string; html: string; messageId: string }[];
  }>(service, `/mail?to=${encodeURIComponent(to)}`);
  return items;
}
