import { xlsxBytes } from '../../src/sheets/write_xlsx.ts'

// The payroll of a treasurer: a world, and workbooks in the style of an accountant.

const firstNames = [
  'Ana',
  'Carlos',
  'Daniela',
  'Esteban',
  'Gabriela',
  'José',
  'Karla',
  'Luis',
  'María',
  'Nelson',
  'Olga',
  'Pedro',
]
const surnames = ['Araya', 'Brenes', 'Castro', 'Jiménez', 'Mora', 'Núñez', 'Quesada', 'Rojas', 'Solís', 'Vargas']

interface Employee {
  readonly name: string
  readonly phone: string
  readonly document: string
  /** Whole colones. */
  readonly salary: number
}

/** Employees with different names. */
const employees: readonly Employee[] = Array.from({ length: 240 }, (_, at) => ({
  name: `${firstNames[at % 12]} ${surnames[Math.floor(at / 12) % 10]} ${surnames[(at + Math.floor(at / 120)) % 10]}`,
  phone: String(86_000_001 + at),
  document: `0${107_000_000 + at}`,
  salary: 350_000 + ((at * 7919) % 260) * 1000,
}))

const world = {
  users: [{ alias: 'elena', name: 'Elena Quirós Salas', phone: '88001234', email: 'elena@textiles.example' }],
  accounts: [
    { alias: 'payroll', user: 'elena', balance: 50_000_000_000 },
    { alias: 'dollars', user: 'elena', currency: 'USD', balance: 1_000_000 },
  ],
  registry: employees.map(({ name, phone, document }, at) => ({
    phone,
    name,
    document_number: document,
    ...(at === 16 && { outcome: 'failed', state_code: 'account_blocked' }),
  })),
}

function workbook(list: readonly Employee[]): Promise<Buffer> {
  const text = (...cells: readonly string[]) => cells.map((text) => ({ text, kind: 'text' as const }))
  const number = (value: number) => ({ text: String(value), kind: 'number' as const })
  const rows = list.map(({ name, phone, document, salary }) => [
    ...text(document.slice(1), name, `${phone.slice(0, 4)}-${phone.slice(4)}`),
    number(salary),
    ...text('Salario de noviembre de 2026'),
  ])
  const total = list.reduce((sum, { salary }) => sum + salary, 0)
  return xlsxBytes({
    name: 'Noviembre',
    rows: [
      text('Cédula', 'Nombre', 'Teléfono', 'Salario', 'Detalle'),
      ...rows,
      [...text('', 'TOTAL', ''), number(total), ...text('')],
    ],
  })
}

export async function payrollFiles(): Promise<Readonly<Record<string, string | Uint8Array>>> {
  const draft = employees.map((employee, at) => (at === 41 ? { ...employee, phone: '8600042' } : employee))
  return {
    'textiles.json': JSON.stringify(world),
    'nomina-borrador.xlsx': await workbook(draft),
    'nomina.xlsx': await workbook(employees),
  }
}
