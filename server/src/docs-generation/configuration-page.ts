import { variables } from '../config.ts';
import { describeGatewaySettings } from '../modules/payments/index.ts';
import { code, page, table } from './markdown.ts';

export function configurationPage(): string {
  return page(
    'Configuration',
    'Environment variables, read once at start. An unknown variable with one of our prefixes stops the start, with the ' +
      'nearest name we know. Any variable may instead be given as `<NAME>_FILE`, the path of a file that holds the value.',
    table(
      ['Variable', 'Default', 'Meaning'],
      variables.map(({ name, fallback, meaning }) => [code(name), code(fallback), meaning]),
    ),
    '## Payment gateways',
    'A method is offered when its gateway is configured. In the demo, what is not set is asked of the sandbox.',
    ...describeGatewaySettings().flatMap(({ gateway, settings }) => [
      `### ${gateway}`,
      table(
        ['Variable', 'Required', 'Meaning'],
        settings.map(({ variable, isRequired, meaning }) => [
          code(variable),
          isRequired ? 'yes' : '',
          meaning,
        ]),
      ),
    ]),
  );
}
