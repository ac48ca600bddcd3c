import type { RecordAudit } from '../../platform/audit.ts';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { handleJob } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/queue.ts';
import type { Sweep } from '../../platform/jobs/sweeps.ts';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';
import { fulfillOrderJob } from '../orders/index.ts';
import type { DeliverOrderEmailDeps } from './deliver-order-email.ts';
import { fulfillOrder } from './fulfill-order.ts';
import type { FulfillOrderDeps } from './fulfill-order.ts';
import { sendOrderEmailJob } from './jobs.ts';
import { ensurePartners } from './partner-accounts/ensure-partners.ts';
import type { PartnerVariables } from './partner-accounts/ensure-partners.ts';
import { fulfillmentFieldsRoutes } from './partner-sources/fulfillment-fields-routes.ts';
import { partnerCheckRoutes } from './partner-accounts/partner-check-routes.ts';
import { createPartnerDirectory } from './partner-accounts/partner-directory.ts';
import type { DirectoryDeps } from './partner-accounts/partner-directory.ts';
import { partnerRoutes } from './partner-accounts/partner-routes.ts';
import { sourceRoutes } from './partner-sources/source-routes.ts';
import { balanceSweep } from './partner-accounts/watch-balances.ts';
import { transactionRoutes } from './purchase-admin/transaction-routes.ts';
import { runPurchaseJob } from './purchases/jobs.ts';
import { purchaseForItem } from './purchases/purchase-for-item.ts';
import type { ItemPurchase, ItemPurchaseOutcome } from './purchases/purchase-for-item.ts';
import { runPurchase } from './purchases/run-purchase.ts';
import { purchaseSweep } from './purchases/sweep-purchases.ts';
import { resumeSweep } from './resume-paid-orders.ts';
import { sendOrderEmail } from './send-order-email.ts';

export { insertAttempts, listDispatchedItems } from './attempt-store.ts';
export type { AttemptStatus, AttemptType, NewAttempt } from './attempt-store.ts';
export { markDelivered } from './complete-order.ts';
export { deliverOrderEmail } from './deliver-order-email.ts';
export type { DeliverOrderEmailDeps, EmailSettlement } from './deliver-order-email.ts';
export { prepareHandOver } from './hand-over/hand-over.ts';
export { hasWhatWasSold } from './item-rules.ts';
export { configuredNames as partnerNames } from './partner-accounts/ensure-partners.ts';
export type { PartnerVariables } from './partner-accounts/ensure-partners.ts';
export { listUsableSources, listVariantsWithActiveSource } from './partner-sources/source-store.ts';
export { listTransactionsById } from './purchase-admin/transaction-list-store.ts';
export type { TransactionRow } from './purchase-admin/transaction-list-store.ts';
export type { ItemPurchase, ItemPurchaseOutcome } from './purchases/purchase-for-item.ts';
export { listOpenPurchases, listPurchasesOfItems } from './purchases/purchase-store.ts';
export type { PurchaseRow } from './purchases/purchase-store.ts';
export { purchaseStates } from './purchases/purchase-states.ts';
export { prepareOrderEmail } from './queue-order-email.ts';
export type { QueueOrderEmailDeps } from './queue-order-email.ts';
export { partnerSeals } from './sealed-tables.ts';
export { handRejectedToOperator } from './send-order-email.ts';

export interface FulfillmentDeps
  extends FulfillOrderDeps, DeliverOrderEmailDeps, Pick<DirectoryDeps, 'lineLimits'> {
  readonly http: OutboundClient;
  readonly recordAudit: RecordAudit;
}

export interface Fulfillment {
  readonly adminEndpoints: Endpoint[];
  readonly jobHandlers: JobHandler[];
  readonly sweeps: Sweep[];
  /** Buys what an item lacks while an operator waits (partner retry). */
  readonly purchaseForItem: (wanted: ItemPurchase) => Promise<ItemPurchaseOutcome>;
  /** Makes or brings up to date the partners that the environment names. */
  readonly ensurePartners: (variables: PartnerVariables) => Promise<void>;
}

export function createFulfillment(deps: FulfillmentDeps): Fulfillment {
  const partners = createPartnerDirectory(deps);
  const buying = { ...deps, partners };
  return {
    adminEndpoints: [
      ...partnerRoutes(deps),
      ...partnerCheckRoutes(buying),
      ...sourceRoutes(deps),
      ...transactionRoutes(buying),
      ...fulfillmentFieldsRoutes(deps),
    ],
    jobHandlers: [
      handleJob(fulfillOrderJob, ({ orderId }) => fulfillOrder(deps, orderId)),
      handleJob(sendOrderEmailJob, ({ messageId }) => sendOrderEmail(deps, messageId)),
      handleJob(runPurchaseJob, async ({ transactionId, takenUntilMs }) => {
        await runPurchase(buying, transactionId, { takenUntilMs });
      }),
    ],
    sweeps: [resumeSweep(deps), purchaseSweep(deps), balanceSweep(buying)],
    purchaseForItem: (wanted) => purchaseForItem(buying, wanted),
    ensurePartners: (variables) => ensurePartners(deps, variables),
  };
}
