import { endpoints } from '../src/contract/index.ts'
import { openApi } from '../src/contract/openapi.ts'
import { apiReference } from './api_reference.ts'
import { cliReference } from './cli_reference.ts'
import { errorsReference } from './errors_reference.ts'

/** Version of the service's interface, not of payctl. */
const interfaceVersion = '0.0.1'

/** The generated files of docs/reference, by name. */
export const referenceFiles = async (): Promise<Readonly<Record<string, string>>> => ({
  'api.md': apiReference(),
  'cli.md': await cliReference(),
  'errors.md': errorsReference(),
  'openapi.json': `${JSON.stringify(document(), null, 2)}\n`,
})

const document = () =>
  openApi(endpoints, {
    title: 'Payments and accounts',
    version: interfaceVersion,
    description: 'Accounts, payments over PIN and SINPE Móvil, and look-ups. Amounts are integers in minor units.',
  })
