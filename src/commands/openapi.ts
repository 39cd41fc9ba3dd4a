import { openapiDocuments } from '../cli/column_help.ts'
import type { CommandModule } from '../cli/command.ts'
import { examples } from '../cli/examples.ts'
import { documentOutput } from './api/rows.ts'

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
