import { openapiDocuments } from '../cli/column_help.ts'
import { command } from '../cli/command.ts'
import { object } from '../cli/prints.ts'
import { documentOutput } from './api/answer.ts'

export const openapi = command({
  summary: 'Print the OpenAPI document of the service',
  about: 'Print the OpenAPI 3.1 document of the service, as JSON or YAML.',
  flags: { '--emulator-control': { about: 'the document of the endpoints that steer an emulator' } },
  prints: object(async () => (await import('typebox')).Type.Object({})),
  examples: ['payctl openapi > openapi.json', 'payctl openapi --output yaml', "payctl openapi --jq '.paths | keys[]'"],
  async run({ emulatorControl }, context) {
    const output = documentOutput(context, 'An OpenAPI document')
    const { default: document } = await openapiDocuments[emulatorControl ? 'emulator' : 'service']()
    await output.record(document, [])
  },
})
