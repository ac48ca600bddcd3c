import type { Config } from '../config.ts';
import type { PartnerVariables } from '../modules/fulfillment/index.ts';
import type { GatewaySettings } from '../modules/payments/index.ts';

/** Addresses and credentials of everything outside. */
export interface Outside {
  readonly gateways: GatewaySettings;
  readonly partners: PartnerVariables;
  readonly smtpUrl: string;
  readonly sms: { readonly url: string; readonly apiKey: string } | undefined;
}

interface SandboxCredentials {
  readonly smtp: { readonly url: string };
  readonly sms: { readonly url: string; readonly api_key: string };
  readonly [gateway: string]: Readonly<Record<string, string>>;
}

/** What the configuration names, and for the rest the sandbox's own demo credentials, asked from it. */
export async function findOutside(config: Config, sandboxUrl: string | undefined): Promise<Outside> {
  const sandbox = sandboxUrl ? await askSandbox(sandboxUrl) : undefined;
  const smtpUrl = config.smtpUrl ?? sandbox?.smtp.url;
  if (!smtpUrl) throw new Error('SMTP_URL is not set and there is no sandbox: codes could not be delivered');
  const sms = config.smsUrl
    ? { url: config.smsUrl, apiKey: config.smsApiKey ?? '' }
    : sandbox && { url: sandbox.sms.url, apiKey: sandbox.sms.api_key };
  return {
    gateways: { ...gatewaysIn(sandbox), ...config.gateways },
    partners: { ...partnersIn(sandbox), ...config.partners },
    smtpUrl,
    sms,
  };
}

const NOT_GATEWAYS = new Set(['smtp', 'sms', 'reloadly', 'partner']);

function gatewaysIn(sandbox: SandboxCredentials | undefined): GatewaySettings {
  return Object.fromEntries(Object.entries(sandbox ?? {}).filter(([name]) => !NOT_GATEWAYS.has(name)));
}

function partnersIn(sandbox: SandboxCredentials | undefined): PartnerVariables {
  const reloadly = sandbox?.['reloadly'];
  const generic = sandbox?.['partner'];
  return { ...(reloadly && { reloadly }), ...(generic && { generic }) };
}

async function askSandbox(url: string): Promise<SandboxCredentials> {
  try {
    const response = await fetch(`${url}/_control/credentials`, { signal: AbortSignal.timeout(5_000) });
    return (await response.json()) as SandboxCredentials;
  } catch (error) {
    throw new Error(`The sandbox at ${url} does not answer: start it, or unset SANDBOX_URL`, {
      cause: error,
    });
  }
}
