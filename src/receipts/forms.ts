import { wordsWrapped, wrapped } from '../run/cell_lines.ts'
import { escapeHtml } from '../run/markup.ts'
import type { Receipt } from './receipt.ts'

/** The receipt as lines of text, at most `width` terminal cells wide. */
export function receiptText({ title, verdict, warnings, sections, source }: Receipt, width: number): readonly string[] {
  const labels = Math.max(...sections.flatMap(({ rows }) => rows.map(([label]) => label.length)))
  const margin = labels + 4
  const blocks = sections.map(({ heading, rows }) => [
    heading,
    ...rows.flatMap(([label, value]) =>
      wrapped(value, Math.max(width - margin, 20)).map(
        (line, at) => `  ${(at === 0 ? label : '').padEnd(labels)}  ${line}`,
      ),
    ),
  ])
  const prose = (text: string) => wordsWrapped(text, width)
  return [
    title,
    ...[...warnings, verdict].flatMap(prose),
    ...blocks.flatMap((lines) => ['', ...lines]),
    '',
    ...prose(source),
  ]
}

/**
 * The receipt as an HTML page: no scripts, no external resources, one sheet of A4 or Letter. Values are always escaped
 * as text.
 */
export function receiptPage(receipt: Receipt): string {
  const { language, title, verdict, tone, warnings, amount, sections, source } = receipt
  const tables = sections.map(
    ({ heading, rows }) =>
      `<h2>${escapeHtml(heading)}</h2>\n<table>\n${rows.map(([label, value]) => `<tr><th scope="row">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`).join('\n')}\n</table>`,
  )
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, email=no, address=no, date=no">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${warnings.map((warning) => `<p class="warning">${escapeHtml(warning)}</p>`).join('\n')}
<h1>${escapeHtml(title)}</h1>
<p class="amount">${escapeHtml(amount)}</p>
<p class="verdict ${tone}">${escapeHtml(verdict)}</p>
${tables.join('\n')}
<footer>${escapeHtml(source)}</footer>
</main>
</body>
</html>
`
}

/** Never conveys a meaning by colour alone, because printers may drop colours and backgrounds. */
const style = `
@page { margin: 15mm }
* { box-sizing: border-box }
body { margin: 0; color: #1a1a1a; background: #fff; font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1.25rem; overflow-wrap: anywhere }
h1 { margin: 0; font-size: 1.5rem }
h2 { margin: 1.5rem 0 .25rem; font-size: .95rem; color: #555 }
.amount { margin: .5rem 0 0; font-size: 1.9rem; font-weight: 650; font-variant-numeric: tabular-nums }
.verdict { margin: .25rem 0 0; padding-left: .6rem; border-left: .3rem solid #777; font-weight: 600 }
.verdict.good { border-color: #1a7f37 }
.verdict.busy { border-color: #9a6700 }
.verdict.bad { border-color: #b42318 }
.warning { margin: 0 0 1rem; padding: .6rem .8rem; border: .2rem solid #b42318; color: #b42318; font-weight: 700; text-align: center }
table { width: 100%; border-collapse: collapse }
th, td { padding: .3rem 0; border-top: 1px solid #ddd; text-align: left; vertical-align: top }
th { width: 38%; padding-right: 1rem; font-weight: 400; color: #555 }
td { font-variant-numeric: tabular-nums }
footer { margin-top: 1.75rem; font-size: .8rem; color: #555 }
@media screen and (max-width: 30rem) {
  th, td { display: block; width: auto }
  td { padding-top: 0; border-top: 0 }
}
@media print {
  html { font-size: 13px }
  body { font-size: 10pt; line-height: 1.3 }
  main { max-width: none; padding: 0 }
  tr, .warning, .verdict { break-inside: avoid }
}
`
