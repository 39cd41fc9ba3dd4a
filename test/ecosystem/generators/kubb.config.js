import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

export default defineConfig({
  input: { path: '../../../docs/reference/openapi.json' },
  output: { path: 'generated/kubb', clean: true, format: false, lint: false, extension: { '.ts': '.ts' } },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient()],
})
