import { isNode, LineCounter, parseDocument } from 'yaml'

/** Line number, from 1, of the member at `path` in a JSON text; with an empty path, the line of the syntax error. */
export function lineOf(text: string, path: readonly (string | number)[]): number {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' })
  if (path.length === 0) return syntaxLine(text)
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}

/** Position from the JSON parser, because YAML accepts more. */
function syntaxLine(text: string): number {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return 1
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1]
    return (position === undefined ? text.trimEnd() : text.slice(0, Number(position))).split('\n').length
  }
}
