/** Labels of a sample; an empty value is the same as no label. */
export type Labels = Readonly<Record<string, string>>

/** Cumulative distribution of a value. */
export interface Histogram {
  readonly labels: Labels
  /** Number of values up to each bound; the infinite bound is left out. */
  readonly buckets: readonly { readonly bound: number; readonly count: number }[]
  readonly sum: number
  readonly count: number
}

/** A metric with its samples. */
export type Metric = { readonly name: string; readonly help: string } & (
  | {
      readonly type: 'counter' | 'gauge'
      readonly samples: readonly { readonly labels?: Labels; readonly value: number }[]
    }
  | { readonly type: 'histogram'; readonly samples: readonly Histogram[] }
)

/** Writes metrics in Prometheus' text format, version 0.0.4. A metric without samples is left out. */
export function exposition(metrics: readonly Metric[]): string {
  const lines: string[] = []
  for (const metric of metrics) {
    const { name, help, type, samples } = metric
    if (samples.length === 0) continue
    lines.push(`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`)
    if (type === 'histogram') for (const histogram of metric.samples) lines.push(...histogramLines(name, histogram))
    else for (const { labels = {}, value } of metric.samples) lines.push(`${name}${labelText(labels)} ${value}`)
  }
  return `${lines.join('\n')}\n`
}

function histogramLines(name: string, { labels, buckets, sum, count }: Histogram): readonly string[] {
  const line = (end: string, more: Labels, value: number) =>
    `${name}${end}${labelText({ ...labels, ...more })} ${value}`
  return [
    ...buckets.map(({ bound, count: below }) => line('_bucket', { le: String(bound) }, below)),
    line('_bucket', { le: '+Inf' }, count),
    line('_sum', {}, sum),
    line('_count', {}, count),
  ]
}

function labelText(labels: Labels): string {
  const given = Object.entries(labels).filter(([, value]) => value !== '')
  if (given.length === 0) return ''
  return `{${given.map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`).join(',')}}`
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
