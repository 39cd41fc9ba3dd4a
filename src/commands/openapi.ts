import { documentOutput } from './api/rows.ts'
import type { CommandModule } from './context.ts'
import { examples } from './examples.ts'

/** `npm run docs` writes these files from the contract, with examples. */
export const openapiDocuments = {
  service: () => import('../../docs/reference/openapi.json', { with: { type: 'json' } }),
  emulator: () => import('../../docs/reference/emulator-openapi.json', { with: { type: 'json' } }),
}

export const openapi: CommandModule = (command, context) => {
  command
    .description('Print the OpenAPI 3.1 document of the service, as JSON or YAML.')
    .option('--emulator-control', 'that of the endpoints that steer an emulator')
    .action(async ({ emulatorControl }: { readonly emulatorControl?: boolean }) => {
      const output = documentOutput(context, 'An OpenAPI document')
      const { default: document } = await openapiDocuments[emulatorControl ? 'emulator' : 'service']()
      await output.record(document, [])
    })
  examples(command, [
    'payctl openapi > openapi.json',
    'payctl openapi --output yaml',
    "payctl openapi --jq '.paths | keys[]'",
  ])
}
