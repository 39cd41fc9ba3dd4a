import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { beforeAll, describe, expect, it } from 'vitest'
import { installPacked } from '../package/packed.ts'

const runners = fileURLToPath(new URL('runners', import.meta.url))
const payctl = join(runners, 'node_modules/payctl/bin/payctl.js')
const projects = join(runners, 'suite_files')

/** True if this machine has a program of another language. */
const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

/** Jars of Debian's package `junit5`. */
const jars = [
  'junit-jupiter',
  'junit-jupiter-api',
  'junit-jupiter-engine',
  'junit-jupiter-params',
  'junit-platform-commons',
  'junit-platform-console',
  'junit-platform-engine',
  'junit-platform-launcher',
  'junit-platform-reporting',
  'opentest4j',
  'opentest4j-reporting-events',
  'apiguardian-api',
  'picocli',
].map((name) => `/usr/share/java/${name}.jar`)

const inPython = `
import json, urllib.request

def pay(world, key, amount=1000, **more):
    body = {"source_account_id": world.accounts[0]["id"], "recipient_phone": "87000001", "amount": amount, **more}
    headers = {"Authorization": "Bearer " + world.token, "Content-Type": "application/json", "X-Idempotency-Key": key}
    request = urllib.request.Request(world.base_url + "/api/payments", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["data"]["id"]

def test_an_order_is_paid(world):
    before = world.now()
    payment = pay(world, "order-1")
    world.advance(minutes=1)
    assert (world.now() - before).total_seconds() == 60
    assert world.wait_for_payment(payment, "completed")["status"] == "completed"
    world.wait_for_requests("payments.create", 1)
    world.wait_until_idle()
    world.assert_received("payments.create", times=1, key="order-1", body={"amount": 1000})
    world.assert_paid("87000001", 1000)
    world.assert_balanced()

def test_a_lost_answer(world):
    world.fail("payments.create", fault="lose_answer")
    try:
        pay(world, "order-2")
    except OSError:
        pass
    pay(world, "order-2")
    world.assert_paid("87000001", 1000)
    world.receive(500)
    world.assert_delivered("transaction.received", times=0)

def test_wrong_amount(world):
    pay(world, "order-3", 2000)
    world.assert_paid("87000001", 1000)

def test_misspelt(world):
    pay(world, "order-4", recipient_emial="ana@shop.example")
`

const inGo = `package shop

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"shop/payctltest"
)

func pay(t *testing.T, world *payctltest.World, key string, amount int, more map[string]any) string {
	body := map[string]any{"source_account_id": world.Accounts[0].ID, "recipient_phone": "87000001", "amount": amount}
	for name, value := range more {
		body[name] = value
	}
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest("POST", world.BaseURL+"/api/payments", bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+world.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Idempotency-Key", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	var envelope struct{ Data struct{ ID string } }
	if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
		t.Fatal(err)
	}
	return envelope.Data.ID
}

func TestAnOrderIsPaid(t *testing.T) {
	t.Parallel()
	world := payctltest.New(t)
	before := world.Now()
	payment := pay(t, world, "order-1", 1000, nil)
	world.Advance(time.Minute)
	if world.Now().Sub(before) != time.Minute {
		t.Error("the clock did not move by a minute")
	}
	world.WaitForPayment(payment, "completed")
	world.WaitForRequests("payments.create", 1)
	world.WaitUntilIdle()
	world.AssertReceived("payments.create", payctltest.Values{"times": 1, "key": "order-1"})
	world.AssertPaid("87000001", 1000)
	world.AssertBalanced()
}

func TestALostAnswer(t *testing.T) {
	t.Parallel()
	world := payctltest.New(t)
	world.Fail("payments.create", payctltest.Values{"fault": "lose_answer"})
	pay(t, world, "order-2", 1000, nil)
	pay(t, world, "order-2", 1000, nil)
	world.AssertPaid("87000001", 1000)
	world.Receive(world.Accounts[0].IBAN, 500)
	world.AssertDelivered("transaction.received", payctltest.Values{"times": 0})
}

func TestWrongAmount(t *testing.T) {
	world := payctltest.New(t)
	pay(t, world, "order-3", 2000, nil)
	world.AssertPaid("87000001", 1000)
}

func TestMisspelt(t *testing.T) {
	pay(t, payctltest.New(t), "order-4", 1000, map[string]any{"recipient_emial": "ana@shop.example"})
}
`

const inJava = `
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import payctl.PayctlWorld;

@ExtendWith(PayctlWorld.ForEachTest.class)
class OrdersTest {
  private static String pay(PayctlWorld world, String key, int amount, String more) throws Exception {
    String body = "{\\"source_account_id\\": \\"" + world.account + "\\", \\"recipient_phone\\": \\"87000001\\", \\"amount\\": " + amount + more + "}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(world.baseUrl + "/api/payments"))
            .header("Authorization", "Bearer " + world.token)
            .header("Content-Type", "application/json")
            .header("X-Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    String answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    return answer.replaceFirst("(?s).*\\"id\\":\\"([^\\"]*)\\".*", "$1");
  }

  @Test
  void anOrderIsPaid(PayctlWorld world) throws Exception {
    String payment = pay(world, "order-1", 1000, "");
    world.advance(Duration.ofMinutes(1));
    world.waitForPayment(payment, "completed");
    world.waitForRequests("payments.create", 1);
    world.waitUntilIdle();
    world.assertReceived("payments.create", 1);
    world.assertPaid("87000001", 1000);
    world.receive(world.account, 500);
    world.assertDelivered("transaction.received", 0);
    world.assertBalanced();
    assertTrue(world.control("GET", "clock", null).contains("now"));
  }

  @Test
  void wrongAmount(PayctlWorld world) throws Exception {
    pay(world, "order-3", 2000, "");
    world.assertPaid("87000001", 1000);
  }

  @Test
  void misspelt(PayctlWorld world) throws Exception {
    pay(world, "order-4", 1000, ", \\"recipient_emial\\": \\"ana@shop.example\\"");
  }
}
`

/** Sends a payment and returns its id. */
const payInJs = `
async function pay({ baseUrl, token, accounts }, key, amount = 1000, more = {}) {
  const answer = await fetch(baseUrl + '/api/payments', {
    method: 'POST',
    headers: { Authorization: 'Bearer ' + token, 'Content-Type': 'application/json', 'X-Idempotency-Key': key },
    body: JSON.stringify({ source_account_id: accounts()[0].id, recipient_phone: '87000001', amount, ...more }),
  })
  return (await answer.json()).data.id
}
`

/** Tests with fixtures: \`expected\` is the assertion on a payment of 1000. */
const withFixtures = (file: string, expected: string) => `
import { expect, test } from './${file}'
${payInJs}
test('an order is paid', async ({ world, pass }) => {
  const payment = await pay(world, 'order-1')
  await pass({ seconds: 30, minutes: 1 })
  await world.until.payment(payment, 'completed')
  ${expected}
  expect(world.name).not.toBe('default')
})
test('wrong amount', async ({ world }) => {
  await pay(world, 'order-3', 2000)
  ${expected}
})
test('misspelt', async ({ world }) => {
  await pay(world, 'order-4', 1000, { recipient_emial: 'ana@shop.example' })
})
`

const withHooks = (imports: string, expected: string) => `
${imports}
${payInJs}
const world = worldForEach()
test('an order is paid', async () => {
  if (account(world()) !== world().accounts()[0].id) throw new Error('another account')
  const payment = await pay(world(), 'order-1')
  await pass(world(), { seconds: 30, minutes: 1 })
  await world().until.payment(payment, 'completed')
  ${expected}
})
test('wrong amount', async () => {
  await pay(world(), 'order-3', 2000)
  ${expected}
})
test('misspelt', async () => {
  await pay(world(), 'order-4', 1000, { recipient_emial: 'ana@shop.example' })
})
`

const typescript = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
  },
}

interface Suite {
  readonly runner: string
  /** False: a program that the suite needs is missing on this machine. */
  readonly runs: boolean
  readonly files: Readonly<Record<string, string>>
  readonly commands: readonly string[]
  /** True: the suite runs as a child process of the emulator. */
  readonly isUnderEmulate: boolean
  /** Pattern of the runner's report: the correct tests pass, the wrong ones fail. */
  readonly report: RegExp
}

const suites: readonly Suite[] = [
  {
    runner: 'pytest',
    runs: has('python3', '-m', 'pytest', '--version'),
    files: { 'conftest.py': 'pytest_plugins = ["payctl_world"]\n', 'test_orders.py': inPython },
    commands: ['python3 -m pytest -p no:cacheprovider'],
    isUnderEmulate: true,
    report:
      /^(?=[\s\S]*amount: 2000 instead of 1000)(?=[\s\S]*Failed: POST .*recipient_emial: not known)(?=[\s\S]*1 failed, 3 passed, 1 error)/,
  },
  {
    runner: 'go',
    runs: has('go', 'version'),
    files: { 'go.mod': 'module shop\n\ngo 1.19\n', 'orders_test.go': inGo },
    commands: ['test -z "$(gofmt -l .)" && go vet ./... && go test -v ./...'],
    isUnderEmulate: true,
    report:
      /^(?=[\s\S]*PASS: TestAnOrderIsPaid)(?=[\s\S]*PASS: TestALostAnswer)(?=[\s\S]*amount: 2000 instead of 1000)(?=[\s\S]*FAIL: TestWrongAmount)(?=[\s\S]*recipient_emial: not known)(?=[\s\S]*FAIL: TestMisspelt)/,
  },
  {
    runner: 'junit',
    runs: has('javac', '-version') && jars.every((jar) => existsSync(jar)),
    files: { 'OrdersTest.java': inJava },
    commands: [
      `javac -Xlint:all,-path -Werror -cp ${jars.join(':')} -d classes src/test/java/payctl/PayctlWorld.java OrdersTest.java && ` +
        `java -cp classes:${jars.join(':')} org.junit.platform.console.ConsoleLauncher --disable-banner -c OrdersTest`,
    ],
    isUnderEmulate: true,
    report: /^(?=[\s\S]*1 tests successful)(?=[\s\S]*2 tests failed)(?=[\s\S]*recipient_emial: not known)/,
  },
  {
    runner: 'node',
    runs: true,
    files: {
      'orders.test.mjs': withHooks(
        "import { test } from 'node:test'\nimport { account, pass, worldForEach } from './payctl_world.mjs'",
        "await world().assert.paid('87000001', 1000)",
      ),
    },
    commands: ['node --test'],
    isUnderEmulate: false,
    report: /^(?=[\s\S]*recipient_emial)(?=[\s\S]*pass 1\n.*fail 2)/,
  },
  {
    runner: 'jest',
    runs: true,
    files: {
      'orders.test.cjs': withHooks(
        "const { account, pass, worldForEach } = require('./payctl_world.cjs')",
        "await expect(world()).toHavePaid('87000001', 1000)",
      ),
      'jest.config.cjs': 'module.exports = {}\n',
    },
    commands: ['jest'],
    isUnderEmulate: false,
    report: /recipient_emial[\s\S]*2 failed, 1 passed/,
  },
  {
    runner: 'vitest',
    runs: true,
    files: {
      'orders.test.js': withFixtures('payctl_test.ts', "await expect(world).toHavePaid('87000001', 1000)"),
      'vitest.config.js': 'export default { test: { include: ["*.test.js"] } }\n',
    },
    commands: ['vitest run'],
    isUnderEmulate: false,
    report: /recipient_emial[\s\S]*2 failed \| 1 passed/,
  },
  {
    runner: 'playwright',
    runs: true,
    files: {
      'orders.spec.js': withFixtures('payctl_test.js', "await world.assert.paid('87000001', 1000)"),
      'tsconfig.json': JSON.stringify({ ...typescript, files: ['payctl_test.ts'] }),
      'playwright.config.js': 'export default { reporter: "line" }\n',
    },
    commands: ['tsc -p . && playwright test'],
    isUnderEmulate: false,
    report: /^(?![\s\S]*error TS)(?=[\s\S]*recipient_emial)(?=[\s\S]*2 failed)(?=[\s\S]*1 passed)/,
  },
]

const run = (command: readonly string[], cwd: string) =>
  execa(process.execPath, command, {
    ...{ cwd, preferLocal: true, localDir: runners, all: true, reject: false },
    env: {
      VITEST: undefined,
      PAYCTL_CONTROL_URL: undefined,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
    },
  })

beforeAll(() => void installPacked(runners, ['vitest']))

describe('payctl emulator helper writes a file that works with', () => {
  it.for(suites)(
    '$runner',
    async ({ runner, runs, files, commands: [command = ''], isUnderEmulate, report }, { skip }) => {
      if (!runs) skip(`${runner} is not on this machine`)
      const project = join(projects, runner)
      rmSync(project, { recursive: true, force: true })
      mkdirSync(project, { recursive: true })
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(project, name)), { recursive: true })
        writeFileSync(join(project, name), text)
      }
      const written = await run([payctl, 'emulator', 'helper', runner], project)
      expect(written).toMatchObject({ exitCode: 0 })
      expect(await run([payctl, 'emulator', 'helper', runner], project)).toMatchObject({ exitCode: 2 })
      const under = isUnderEmulate ? [payctl, 'emulate', '--settle', 'manual', '--', 'sh', '-c', command] : undefined
      const { exitCode, all } = under
        ? await run(under, project)
        : await execa('sh', ['-c', command], {
            ...{ cwd: project, preferLocal: true, localDir: runners, all: true, reject: false },
            env: { VITEST: undefined, PAYCTL_CONTROL_URL: undefined, NO_COLOR: '1', FORCE_COLOR: undefined },
          })
      expect({ exitCode, all }).toEqual({
        exitCode: expect.toSatisfy((code) => code !== 0),
        all: expect.stringMatching(report),
      })
    },
  )
})
