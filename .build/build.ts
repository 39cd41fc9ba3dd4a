import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { recordBuild } from './build_record.ts'
import { bundleCli, bundleLibrary, bundleMsw, bundleVitest } from './bundle.ts'
import { bundledPackages } from './bundled.ts'
import { chaosProfileSchema, seedSchema, teamsSchema } from './file_schemas.ts'
import { declare, writeDeclarations, writeEntries } from './library_entries.ts'
import { writeManPages } from './man_pages.ts'
import { notices } from './notices.ts'
import { bundlePage } from './page.ts'
import { sbom } from './sbom.ts'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

// The new build is made next to dist/ and then swapped in, so that a running payctl can still load its remaining parts.
const fresh = `dist.${process.pid}`
const stale = `${fresh}.stale`

try {
  const classes = declare(join(fresh, 'types'))
  const lib = join(fresh, 'lib')
  const [cli, library, fixtures, msw, page] = await Promise.all([
    bundleCli(join(fresh, 'cli')),
    bundleLibrary(lib),
    bundleVitest(lib),
    bundleMsw(lib),
    bundlePage(join(fresh, 'page')),
  ])
  // Skips standalone programs: they export nothing.
  const entries = library.filter(({ isEntry, exports }) => isEntry && exports.length > 0)
  writeEntries(
    fresh,
    entries.map(({ fileName, exports }) => ({ name: parse(fileName).name, values: exports })),
    classes,
  )
  writeDeclarations(fresh, 'msw', ['handlers'], classes)
  const files = [...cli, ...library, ...fixtures, ...msw, ...page].flatMap((chunk) => chunk.files)
  const packages = bundledPackages(files)
  writeFileSync(join(fresh, 'THIRD-PARTY-NOTICES.txt'), notices(packages))
  writeFileSync(join(fresh, 'sbom.cdx.json'), `${JSON.stringify(sbom(packages), null, 2)}\n`)
  writeFileSync(join(fresh, 'seed-file.schema.json'), seedSchema())
  writeFileSync(join(fresh, 'chaos-profile.schema.json'), chaosProfileSchema())
  writeFileSync(join(fresh, 'teams-file.schema.json'), teamsSchema())
  cpSync('.build/suite_files', join(fresh, 'suite_files'), { recursive: true })
  await writeManPages(join(fresh, 'man'))
  if (existsSync('dist')) renameSync('dist', stale)
  renameSync(fresh, 'dist')
  recordBuild('.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(fresh, { recursive: true, force: true })
  rmSync(stale, { recursive: true, force: true })
}
