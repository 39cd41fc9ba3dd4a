import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../support/free_port.ts'
import { type Block, blocksOf } from './guide_blocks.ts'
import { account, type GuideHome, guideHome, receiver } from './guide_home.ts'
import { GuideShell } from './guide_shell.ts'

const guides = globSync('docs/guide/*.md', { cwd: join(import.meta.dirname, '../..') }).map((path) => basename(path))
const pages = ['../../README.md', ...guides.toSorted()]

const scriptsOf = (page: string): readonly Block[] =>
  blocksOf(page).filter(({ language, file }) => language === 'sh' && file === undefined)

/** A home with an emulator, in the state that a page expects. */
interface Place extends GuideHome {
  /** Environment of `payctl emulate -- command`. */
  readonly variables: Readonly<Record<string, string>>
  /** Ports of the guides' programs on this machine, by their ports in the guides. */
  readonly ports: ReadonlyMap<string, string>
}

/** Preconditions of a page, besides the files of guide_home.ts. */
interface Prepared {
  /** Options of the emulator; null if the page itself starts the first emulator. */
  readonly emulator?: readonly string[] | null
  /** Creates the records that the page expects. Returns variables for the page's shell. */
  readonly before?: (place: Place) => Promise<Readonly<Record<string, string>>>
}

async function withShop({ run, variables }: Place) {
  await run(['emulator', 'worlds', 'create', '--name', 'shop-7'], variables)
  return {}
}

const prepared: Readonly<Record<string, Prepared>> = {
  'getting-started.md': { emulator: null },
  'team.md': { emulator: null },
  'batches.md': {
    // One salary exceeds the balance. The credit then makes the balance sufficient.
    before: async ({ run, variables }) => {
      await run(['payments', 'batch', 'salaries.csv', '--batch-id', '2026-11', '--yes'], variables)
      await run(['emulator', 'credit', '--to', '88001234', '--amount', '5000000'], variables)
      return {}
    },
  },
  'time.md': {
    emulator: ['--settle', '9h'],
    before: async ({ run, variables, ports }) => {
      const url = `http://127.0.0.1:${ports.get('8080')}/hook`
      await run(['webhooks', 'create', '--url', url, '--events', 'payment.completed'], variables)
      const order = ['send', '--from', 'CRC', '--to', '87000001', '--amount', '5', '--yes', '--jq', '.id']
      const pay = () => run(order, variables)
      for (const id of [await pay(), await pay()]) await run(['emulator', 'payment', id, 'completed'], variables)
      const ids = { PAID: await pay(), REFUSED: await pay(), LATER: await pay() }
      // The wait of two hours on the page takes two seconds in the test. No payment settles within nine seconds, which
      // are nine hours of the clock.
      await run(['emulator', 'clock', 'speed', '3600'], variables)
      return ids
    },
  },
  'seeds.md': { before: withShop },
  'reproducing-a-bug.md': { before: withShop },
}

/** Types the scripts of a page into a shell, in their order. Returns the failures. */
async function follow(page: string): Promise<string> {
  const home = await guideHome(page)
  const { emulator: options = ['--settle', 'instant'], before } = prepared[page] ?? {}
  const ports = new Map([
    ['4011', '0'],
    ['4242', page === 'webhooks.md' ? String(await freePort()) : '0'],
    ['3000', await receiver()],
    ['3001', await receiver()],
    ['8080', await receiver()],
  ])
  /** Replaces the ports of the guides: tests share a machine. */
  const ported = (text: string): string =>
    text
      .replaceAll('https://your-tunnel.example', 'http://127.0.0.1:4242')
      .replace(/(?<=[: ])(3000|3001|4010|4011|4242|8080)\b/g, (port) => ports.get(port) ?? port)
      .replaceAll('https://api.example.com', service)
  const variables: Record<string, string> = {}
  /** URL of the page's emulator, which replaces the real service. */
  let service = ''
  if (options) {
    const { base_url, control_url } = await home.emulator(options)
    Object.assign(variables, { PAYCTL_BASE_URL: base_url, PAYCTL_CONTROL_URL: control_url })
    ports.set('4010', new URL(base_url).port)
    service = base_url
  }
  const own = (await before?.({ ...home, variables, ports })) ?? {}
  const known = { ACCOUNT: account, IBAN: 'CR73015100100000000001', ORDER: '17', AMOUNT: '1500.25' }
  const shell = new GuideShell({
    home: home.home,
    env: { ...home.env, ...variables, ...known, ...own },
    beforeInterrupt: () => (page === 'webhooks.md' ? makeEvents(ported('http://127.0.0.1:4010')) : Promise.resolve()),
  })
  const failures: string[] = []
  for (const { text, note } of scriptsOf(page)) {
    if (note?.kind === 'not run') continue
    if (note?.kind === 'runs on') {
      const said = await shell.start(ported(text))
      service ||= /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? ''
      // The emulator uses a free port instead of the guides' port, which a program of this machine may use.
      ports.set('4010', new URL(service).port)
      continue
    }
    const failed = await shell.run(ported(text))
    if ((failed === '') === (note?.kind === 'fails')) failures.push(`${failed || 'nothing fails'} in:\n${text}`)
  }
  return failures.length === 0 ? '' : [...failures, shell.written].join('\n')
}

/** Makes twelve payments arrive, which cause deliveries. */
async function makeEvents(baseUrl: string): Promise<void> {
  const post = (path: string, body: object) =>
    fetch(`${baseUrl}/_emulator/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (let made = 0; made < 12; made += 1) await post('credits', { to: '88001234', amount: 100 })
  await post('wait', { idle: true })
}

describe('the scripts of the guides', () => {
  const shown = pages.filter((page) => scriptsOf(page).some(({ note }) => note?.kind !== 'not run'))

  it.each(shown)(
    '%s runs as it stands',
    async (page) => {
      expect(await follow(page)).toBe('')
    },
    120_000,
  )

  it('leave out what can’t be run here, and why', () => {
    const skipped = pages.flatMap((page) =>
      scriptsOf(page).flatMap(({ note, text }) =>
        note?.kind === 'not run' ? [`${basename(page)}: ${text.split('\n')[0]} (${note.reason})`] : [],
      ),
    )
    expect(skipped).toMatchInlineSnapshot(`
      [
        "README.md: npm ci && npx payctl emulate     # runs the service on this machine (installs packages; .ci/run does it)",
        "chaos.md: payctl emulate --chaos 1 --chaos-kill -- node repaired_payout.ts (test/e2e/chaos/payouts.full.test.ts runs it)",
        "conformance.md: npm run conformance -- --base-url https://sandbox.example --token-file token --report gaps.md (asks a service on the internet)",
        "containers-and-ci.md: ./node_modules/.bin/payctl emulate --port 4010 & (a part of another script)",
        "containers-and-ci.md: docker load --input packages/payctl-0.1.0-linux-x64.oci.tar (needs Docker and a registry; test/package/image.full.test.ts starts the image)",
        "containers-and-ci.md: mkdir secrets (needs Docker; test/docs/containers.full.test.ts starts what the containers start)",
        "emulator.md: payctl emulate --lenient-iban (it runs until it is stopped)",
        "getting-started.md: npm ci                                # installs, and builds; brings the Node that payctl needs (installs packages; .ci/run does it)",
        "getting-started.md: npm install -g ./payctl-0.1.0.tgz     # payctl, for this user (installs packages; test/package does it)",
        "installing.md: npm ci (takes a minute; test/package/single_file.full.test.ts makes the file and tries it)",
        "installing.md: tar -xf payctl-0.1.0-linux-x64.tar.xz (needs the tarball; test/package/install_script.test.ts runs the script)",
        "installing.md: apt-get install ./payctl_0.1.0_amd64.deb (needs root; test/package/deb.full.test.ts installs and removes it in a fresh root)",
        "installing.md: ssh-keygen -Y verify -f allowed_signers -I payctl -n payctl-release -s SHA256SUMS.sig < SHA256SUMS (needs a release; test/package/release.full.test.ts runs it)",
        "logging-in.md: payctl config set credentials keyring     # moves the logins of all profiles to the keyring (needs a keyring; test/ecosystem/keyring.test.ts runs it)",
        "other-clients.md: npx openapi-typescript openapi.json -o payments.ts (installs packages; test/ecosystem does it)",
        "other-clients.md: npx openapi-to-postmanv2 -s openapi.json -o collection.json -p -O folderStrategy=Tags,parametersResolution=Example (installs packages; test/ecosystem does it)",
        "page.md: payctl emulator open            # the page (opens a browser)",
        "rails.md: payctl emulate --settle pin=5s,sinpe_movil=3s..15s (it runs until it is stopped)",
        "seeing.md: payctl emulator watch (it runs until it is stopped)",
        "sending.md: payctl payments send --to 8700-0001 --amount 1500 --expect-name "Jiménez Mora, Carlos" --expect-document 3-0493-0258 (example)",
        "team.md: payctl emulate --worlds /var/lib/payctl/worlds --port 4010 --public-url https://payctl.example.com --log json (it runs until it is stopped)",
        "team.md: openssl rand -hex 20 > admin.key (it runs until it is stopped; test/emulator/teams/command_line.test.ts runs it)",
        "testing.md: npx vitest run (needs Vitest; guide_code.full.test.ts runs it)",
        "testing.md: node --test orders.node.mjs (guide_code.full.test.ts runs it)",
        "testing.md: npx payctl emulate --settle manual -- python3 -m pytest (needs pytest; guide_code.full.test.ts runs it)",
        "testing.md: npx payctl emulate --settle manual -- python3 -m unittest shop_tests (guide_code.full.test.ts runs it)",
        "testing.md: npx payctl emulate -- sh any_language.sh (guide_code.full.test.ts runs it)",
        "webhooks.md: payctl emulate --plain-deliveries (it runs until it is stopped)",
        "webhooks.md: payctl emulate --sign-deliveries X-Signature (it runs until it is stopped)",
        "without-a-port.md: npx vitest run ports.test.js (needs Vitest; guide_code.full.test.ts runs it)",
        "without-a-port.md: npx vitest run pay_button.test.js (needs MSW and jsdom; test/ecosystem/msw.test.ts runs it)",
        "without-a-port.md: npx vitest run -c vitest.browser.config.js (needs MSW and a browser; test/ecosystem/msw.test.ts runs it)",
      ]
    `)
  })
})
