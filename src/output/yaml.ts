import { Document, isScalar, visit } from 'yaml'
import { originalOf } from '../client/decode.ts'
import { escapeHiddenYaml, hasHidden } from '../run/sanitise.ts'
import type { Renderer } from './renderer.ts'

/** Renders data as YAML. Double-quotes strings with invisible characters, so that these characters can be escaped. */
function whole(data: unknown): string {
  const document = new Document(originalOf(data), { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && hasHidden(node.value)) node.type = 'QUOTE_DOUBLE'
    },
    Pair(_, { key }) {
      if (isScalar<string>(key) && hasHidden(key.value)) key.type = 'QUOTE_DOUBLE'
    },
  })
  return escapeHiddenYaml(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }))
}

export const yaml: Renderer = {
  record: whole,
  whole,
  async *rows(rows) {
    let empty = true
    for await (const row of rows) {
      empty = false
      yield whole([originalOf(row)])
    }
    if (empty) yield '[]\n'
  },
}
