/**
 * `npm run bench [-- words]`: prints each measurement with its ratio to the baseline, and the budget for the ratio;
 * words choose the groups.
 */
import { cpus } from 'node:os'
import { batchRows } from './batch.ts'
import { fetchRows } from './fetch.ts'
import { historyRows } from './history.ts'
import { momentRows } from './moments.ts'
import { neighbourRows } from './neighbours.ts'
import { pageRows } from './page.ts'
import { processRows } from './processes.ts'
import { type Row, withinBudget } from './ratio.ts'
import { requestRows } from './requests.ts'
import { teamRows } from './team.ts'
import { webhookRows } from './webhooks.ts'
import { worldRows } from './worlds.ts'

const groups: Readonly<Record<string, () => Promise<Row[]>>> = {
  processes: processRows,
  requests: requestRows,
  fetch: fetchRows,
  history: historyRows,
  webhooks: webhookRows,
  worlds: worldRows,
  moments: momentRows,
  batch: batchRows,
  page: pageRows,
  neighbours: neighbourRows,
}

/** Takes minutes and needs HAProxy, so this group runs only if it is named. */
const named: typeof groups = { team: teamRows }

const wanted = process.argv.slice(2)
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}`)
console.log(['what', 'baseline', 'payctl', 'ratio', 'budget', ''].join('\t'))
for (const [name, measure] of Object.entries({ ...groups, ...named })) {
  if (wanted.length > 0 ? !wanted.includes(name) : name in named) continue
  for (const row of await measure()) console.log(lineOf(row))
}

function lineOf(row: Row): string {
  const { what, unit, baseline, candidate, ratio, budget, better } = row
  const digits = unit === 'ms' ? 1 : 0
  const figures = [baseline, candidate].map((value) => `${value.toFixed(digits)} ${unit}`)
  const verdict = withinBudget(row) ? 'within' : 'OVER BUDGET'
  return [what, ...figures, `${ratio.toFixed(2)}x`, `${better === 'more' ? '>=' : '<='} ${budget}x`, verdict].join('\t')
}
