import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
const packed = join(modules, '@sparticuz/chromium')

/** Starts a browser that needs only the system's C library, and makes no background requests. */
export const launchBrowser = async (): Promise<Browser> => chromium.launch(await launchOptions())

/** Options that start this browser with any release of Playwright. */
export async function launchOptions() {
  const folder = await unpacked()
  return {
    executablePath: join(folder, 'chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf'), HOME: folder },
  }
}

/** Unpacks the browser once for each version of its package. A second process finds the folder complete. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'))
  const folder = join(modules, '.cache', `payctl-chromium-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(dirname(folder), { recursive: true })
  const staging = mkdtempSync(`${folder}-`)
  writeFileSync(join(staging, 'chromium'), await inflated('chromium.br'), { mode: 0o755 })
  for (const archive of ['al2023.tar.br', 'fonts.tar.br']) {
    execFileSync('tar', ['-x', '--no-same-owner', '-C', staging], { input: await inflated(archive) })
  }
  writeFileSync(join(staging, 'fonts.conf'), fontsOnly)
  try {
    renameSync(staging, folder)
  } catch (error) {
    rmSync(staging, { recursive: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

const inflate = promisify(brotliDecompress)

const inflated = (name: string): Promise<Buffer> => inflate(readFileSync(join(packed, 'bin', name)))

/** Uses only the fonts of the package, so that pages look the same everywhere. */
const fontsOnly = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir></fontconfig>
`
