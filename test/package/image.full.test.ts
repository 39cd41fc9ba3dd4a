import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { endpoints } from '../../src/contract/index.ts'
import { installPrograms } from '../ecosystem/install.ts'
import { freePort } from '../support/free_port.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { builtPackages } from './built_packages.ts'
import { type Login, pathsIn, startBeside, startIn } from './fresh_root.ts'

let archive = ''

const folder = mkdtempSync(join(tmpdir(), 'payctl-image-'))
const layout = join(folder, 'layout')
const content = join(folder, 'root')

const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'))
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

/** Unpacks the image as a container runtime does, following its digests; returns its configuration. */
async function unpack(): Promise<Configuration> {
  for (const path of [layout, content]) mkdirSync(path)
  await execa('tar', ['-xf', archive, '-C', layout])
  const { manifests } = read(join(layout, 'index.json'))
  const { config, layers } = read(blob(manifests[0].digest))
  for (const { digest } of layers) await execa('tar', ['-xpzf', blob(digest), '-C', content, '--numeric-owner'])
  return read(blob(config.digest))
}

let configuration: Configuration

beforeAll(async () => {
  await installPrograms({ buildah: 'buildah' })
  archive = (await builtPackages()).image
  configuration = await unpack()
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true }))

/** The parts of an image's configuration that the tests use. */
interface Configuration {
  readonly config: {
    readonly User: string
    readonly Env: readonly string[]
    readonly Entrypoint: readonly string[]
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
}

/** A container of the image, with its own hard links to the files, in which programs can be started. */
async function container() {
  const root = join(await temporaryDirectory(), 'root')
  await execa('cp', ['-al', content, root])
  for (const folder of ['proc', 'dev', 'sys']) mkdirSync(join(root, folder))
  const [uid = 0, gid = 0] = configuration.config.User.split(':').map(Number)
  const env = Object.fromEntries(configuration.config.Env.map((each) => each.split('=')))
  return {
    root,
    login: { uid, gid } satisfies Login,
    /** Starts the container. */
    start(command: readonly string[], more: Readonly<Record<string, string>> = {}) {
      const process = startIn(root, command, { ...env, ...more }, { uid, gid })
      onTestFinished(() => process.end())
      return process
    },
    /** Runs a program in the container that `start` has returned. */
    exec: (container: { readonly pid?: number }, command: readonly string[]) =>
      startBeside(container.pid, command, { ...env, ...secrets }, { uid, gid }),
  }
}

const secrets = {
  PAYCTL_EMULATOR_TOKEN: '0c0ffee5ec7e7-token-of-the-test',
  PAYCTL_EMULATOR_CONTROL_TOKEN: '1c0ffee5ec7e7-token-of-the-test',
}

describe('the image', () => {
  it('runs the emulator as an ordinary user, and ends at SIGTERM', async () => {
    const { login, start, exec } = await container()
    expect(login.uid).toBeGreaterThan(0)
    const { Entrypoint, Healthcheck } = configuration.config
    const port = String(await freePort())
    const emulator = start([...Entrypoint, '--port', port], secrets)
    await expect.poll(() => exec(emulator, Healthcheck.Test.slice(1))).toMatchObject({ exitCode: 0 })

    const accounts = await fetch(`http://127.0.0.1:${port}${endpoints['accounts.list'].path}`, {
      headers: { Authorization: `Bearer ${secrets.PAYCTL_EMULATOR_TOKEN}` },
    })
    expect(accounts.status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${port}/_emulator/state`)).status).toBe(401)

    emulator.signal('SIGTERM')
    expect(await emulator).toMatchObject({ exitCode: 0 })
  })

  it('is healthy only while the emulator answers', async () => {
    const { start, exec } = await container()
    const { Entrypoint, Healthcheck } = configuration.config
    const health = Healthcheck.Test.slice(1)
    const emulator = start([...Entrypoint, '--port', '0'], secrets)
    await expect.poll(() => exec(emulator, health)).toMatchObject({ exitCode: 0 })
    emulator.signal('SIGSTOP')
    expect((await exec(emulator, health)).exitCode).toBeGreaterThan(0)
    emulator.signal('SIGCONT')
    expect(await exec(emulator, health)).toMatchObject({ exitCode: 0 })
    await emulator.end()
    expect((await start(health)).exitCode).toBeGreaterThan(0)
  })

  it('refuses to start without secrets', async () => {
    const { start } = await container()
    expect(await start(configuration.config.Entrypoint)).toMatchObject({ exitCode: 2 })
  })

  it('finds other containers by name', async () => {
    const { root, start, exec } = await container()
    writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 emulator\n')
    const port = String(await freePort())
    const emulator = start([...configuration.config.Entrypoint, '--port', port], secrets)
    const wait = ['/usr/bin/payctl', 'emulator', 'wait', 'ready', '--base-url', `http://emulator:${port}`]
    await expect.poll(() => exec(emulator, wait)).toMatchObject({ exitCode: 0 })
  })

  it('runs a shard of the example for teams, with its worlds on a volume', async () => {
    const { root, start, exec } = await container()
    const compose = parse(readFileSync('docs/examples/team/compose.yaml', 'utf8'))
    const { image, environment, secrets: files } = compose['x-shard']
    expect(image).toBe(`registry.example.com/payctl:${manifest.version}`)
    mkdirSync(join(root, 'run/secrets'), { recursive: true })
    for (const [at, name] of files.entries())
      writeFileSync(join(root, 'run/secrets', name), `${at}c0ffee5ec7e7-of-the-test\n`)
    const { Entrypoint, Healthcheck } = configuration.config
    const { command, volumes } = compose.services['shard-1']
    expect(volumes).toEqual(['worlds-1:/worlds'])
    const emulator = start([...Entrypoint, ...command, '--port', '0'], environment)
    await expect.poll(() => exec(emulator, Healthcheck.Test.slice(1))).toMatchObject({ exitCode: 0 })
    expect(readdirSync(join(root, 'worlds'))).toEqual(['s1'])
  })

  it('loads the keyring’s binary, and says that a container has no keyring', async () => {
    const { root, start } = await container()
    const command = ['/usr/bin/payctl', 'config', 'set', 'credentials', 'keyring']
    const refusal = (why: string) => ({ exitCode: 4, stderr: expect.stringContaining(why) })
    expect(await start(command)).toMatchObject(refusal('The system’s keyring can'))
    rmSync(join(root, 'lib/x86_64-linux-gnu/librt.so.1'))
    const unloadable = await start(command)
    expect(unloadable).toMatchObject(refusal("the keyring module inside payctl's executable can't be loaded"))
    expect(unloadable.stderr).not.toContain('npm')
  })

  it('has nothing but payctl, its libraries and their documents', async () => {
    const { root } = await container()
    const files = pathsIn(root).filter((path) => statSync(join(root, path)).isFile())
    const programs = files.filter(
      (path) => (statSync(join(root, path)).mode & 0o111) !== 0 && !/\.so[.\d]*$/.test(path),
    )
    expect(programs).toEqual(['usr/bin/payctl'])
    expect(files.filter((path) => !/^(lib|lib64|etc|usr\/share)\/|^usr\/bin\/payctl$/.test(path))).toEqual([])
    const writable = readdirSync(root).filter((path) => statSync(join(root, path)).uid !== 0 || path === 'tmp')
    expect(writable).toEqual(['tmp', 'worlds'])
    // glibc finds names in DNS with its own code.
    const { stdout } = await execa('grep', [
      '-c',
      '_nss_dns_gethostbyname4_r',
      join(root, 'lib/x86_64-linux-gnu/libc.so.6'),
    ])
    expect(Number(stdout)).toBeGreaterThan(0)
  })

  it('has the licences of all parts, and a bill of materials with the libraries', async () => {
    const { root } = await container()
    const document = (name: string) => readFileSync(join(root, 'usr/share/doc', name), 'utf8')
    expect(document('payctl/LICENSES.txt')).toContain('Node.js is licensed for use as follows')
    expect(document('libc6/copyright')).toContain('LGPL-2.1')
    expect(statSync(join(root, 'usr/share/common-licenses/LGPL-2.1')).isFile()).toBe(true)
    const bill = document('payctl/sbom.cdx.json')
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(bill)).toBeNull()
    const debian = [...bill.matchAll(/"purl": "pkg:deb\/debian\/(.+)@/g)].map(([, name]) => name)
    expect(debian).toEqual(['libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'])
  })

  it.each(['oci-archive', 'docker-archive'])('is read by other software as %s', async (format) => {
    const home = await temporaryDirectory()
    const storage = ['--storage-driver', 'vfs', '--root', join(home, 'storage'), '--runroot', join(home, 'run')]
    const buildah = async (...args: readonly string[]) => (await execa('buildah', [...storage, ...args])).stdout
    const policy = join(home, 'policy.json')
    writeFileSync(policy, JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] }))
    const id = await buildah('pull', '--quiet', '--signature-policy', policy, `${format}:${archive}`)
    const { OCIv1 } = JSON.parse(await buildah('inspect', '--type', 'image', id))
    expect(OCIv1.config).toMatchObject({ User: '10001:10001', WorkingDir: '/tmp' })
    expect(await buildah('images', '--format', '{{.Name}}:{{.Tag}}')).toContain(`payctl:${manifest.version}`)
    await buildah('rmi', '--all')
  })
})
