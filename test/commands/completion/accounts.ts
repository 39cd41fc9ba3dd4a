export const account = {
  id: '3f2504e0-4f89-41d3-9a0c-0305e82c3300',
  iban: 'CR05015202001026284066',
  owner_name: 'Ana',
  status: 'active',
  balance: { value: 1, currency: 'CRC', formatted: '₡0,01' },
}

export const page = (data: readonly unknown[]) => ({
  data,
  current_page: 1,
  last_page: 1,
  per_page: 100,
  total: data.length,
})

const names = [
  'Ana $(touch substituted) `touch backquoted`',
  `O'Neil "Bo" \\ ; touch separated & touch parallel | touch piped > redirected`,
  'new\nline\ttab\r\n:files\n-x',
  '\u001b[31mred\u001b]0;title\u0007 \u009b2J %F{red} %n $PATH ~ * colon : end\\',
  '',
]

const ids = [
  '--yes',
  '-h',
  '$(touch substituted)',
  "3f'; touch quoted; '",
  '3f\u001b[31m',
  '3f2504e0\n:files',
  '3f 25',
  '`touch backquoted`',
  '~',
  '*',
  '',
]

/** Five accounts with attacks in their names, then accounts with attacks in their ids. */
export const hostileAccounts = [
  ...names.map((owner_name, at) => ({ ...account, owner_name, id: account.id.replace(/0$/, String(at)) })),
  ...ids.map((id) => ({ ...account, id })),
]
