import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { beforeAll, expect, it } from 'vitest'
import { launchOptions } from '../browser/launch.ts'
import { blocksOf } from '../docs/guide_blocks.ts'
import { installPacked } from '../package/packed.ts'

const folderOf = (version: string) => fileURLToPath(new URL(`msw/${version}`, import.meta.url))

const run = (version: string, ...args: readonly string[]) => {
  const cwd = folderOf(version)
  return execa('vitest', ['run', '--root', 'guide', ...args], {
    ...{ cwd, preferLocal: true, localDir: cwd, all: true, reject: false },
    env: { VITEST: undefined, PAYCTL_CONTROL_URL: undefined, NO_COLOR: '1' },
  })
}

/** Prepares the files of the guide for each version of MSW. The browser is the same as in other tests. */
beforeAll(async () => {
  const provider = `playwright({ launchOptions: ${JSON.stringify(await launchOptions())} })`
  for (const version of ['v2', 'v3']) {
    const folder = folderOf(version)
    installPacked(folder)
    rmSync(`${folder}/guide`, { recursive: true, force: true })
    mkdirSync(`${folder}/guide`)
    for (const { file, text } of blocksOf('without-a-port.md')) {
      if (file) writeFileSync(`${folder}/guide/${file}`, text.replace('playwright()', provider))
    }
    cpSync(`${folder}/node_modules/msw/lib/mockServiceWorker.js`, `${folder}/guide/public/mockServiceWorker.js`)
  }
})

it.each(['v2', 'v3'])('component tests in jsdom use a world through MSW %s', async (version) => {
  const { exitCode, all } = await run(version, 'pay_button.test.js')
  expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringMatching(/Tests +3 passed/) })
})

it('XMLHttpRequest of jsdom is answered as well', async () => {
  const suite = `
    import { setupServer } from 'msw/node'
    import { handlers } from 'payctl/msw'
    import { createTest } from 'payctl/vitest'
    import { expect } from 'vitest'
    const test = createTest({ port: false })
    test('another origin', async ({ world }) => {
      setupServer(...handlers(world, { baseUrl: 'https://bank.test' })).listen()
      const request = new XMLHttpRequest()
      request.open('GET', 'https://bank.test/api/accounts')
      request.setRequestHeader('Authorization', \`Bearer \${world.token}\`)
      const ended = new Promise((resolve) => request.addEventListener('loadend', resolve))
      request.send()
      await ended
      expect([request.status, JSON.parse(request.responseText).success]).toEqual([200, true])
    })`
  for (const version of ['v2', 'v3']) {
    writeFileSync(`${folderOf(version)}/guide/xhr.test.js`, suite)
    const { exitCode, all } = await run(version, 'xhr.test.js', '--environment', 'jsdom')
    expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringMatching(/Tests +1 passed/) })
  }
})

it('Jest and others can require it, with MSW 2', async () => {
  const script = "console.log(require('payctl/msw').handlers({ baseUrl: 'http://127.0.0.1:4010' }).length)"
  const { stdout } = await execa(process.execPath, ['--input-type=commonjs', '-e', script], { cwd: folderOf('v2') })
  expect(stdout).toBe('2')
})

it('tests in a browser use a world of an emulator in Node', async () => {
  const { exitCode, all } = await run('v3', '-c', 'vitest.browser.config.js')
  expect({ exitCode, all }).toEqual({ exitCode: 0, all: expect.stringMatching(/Tests +2 passed/) })
})
