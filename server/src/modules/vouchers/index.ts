export { voucherSeals } from './sealed-tables.ts';
export { createVault } from './vault.ts';
export type { VaultDeps } from './vault.ts';
export { maskCode, openVoucher, voucherContexts, voucherDigest } from './voucher-secrets.ts';
export type { PlainVoucher } from './voucher-secrets.ts';
export { reserveUnits, StockContendedError, withStockRetries } from './reserve-units.ts';
export type { Reservation } from './reserve-units.ts';
export {
  assignReservedVouchers,
  assignVouchersOfOrder,
  findSellableVariantIds,
  listAssignedUnitNumbers,
  listAssignedVouchers,
  listHeldUnitNumbers,
  listVouchersOfOrder,
  releaseExpiredVouchers,
  releaseReservedVouchers,
} from './voucher-store.ts';
export type { UnitsWanted, VoucherRow } from './voucher-store.ts';
export { saveManualCodes } from './manual/save-manual-codes.ts';
export type { ItemCodes, ManualCode, SavedItem } from './manual/save-manual-codes.ts';
export { listStoredVouchers, listStoredVouchersOfItems } from './admin/voucher-admin-store.ts';
export type { StoredVoucherRow } from './admin/voucher-admin-store.ts';
export {
  maskSecrets,
  openSecrets,
  storedVoucherSchema,
  toMaskedVoucherWire,
  toStoredVoucherWire,
} from './admin/voucher-wire.ts';
export type { StoredVoucherWire } from './admin/voucher-wire.ts';
export { storeBoughtCode } from './store-bought-code.ts';
export type { BoughtCode, StoredCode } from './store-bought-code.ts';
export { checkImportRow } from './import/import-row.ts';
export { readImportFile } from './import/import-file.ts';
export type { ImportRow } from './import/import-row.ts';
export { importVouchers } from './import/import-vouchers.ts';
export type {
  ImportOutcome,
  ImportRowResult,
  ImportSummary,
  ImportVouchersDeps,
  ImportVouchersInput,
} from './import/import-vouchers.ts';
export { withdrawVouchers } from './withdraw-vouchers.ts';
export type { WithdrawnVoucher } from './withdraw-vouchers.ts';
export { countSellableUnits, listStockLevels } from './stock-level-store.ts';
export type { StockLevelRow } from './stock-level-store.ts';
