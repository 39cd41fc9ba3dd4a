import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { hasDeb, writeDeb } from './deb.ts'
import { digestOf } from './digests.ts'
import { hasImage, writeImage } from './image.ts'
import type { PlatformName } from './platforms.ts'
import { writeSingleFile } from './single_file.ts'
import { writeTarball } from './tarball.ts'

export interface PackageOptions {
  readonly platforms: readonly PlatformName[]
  /** Folder that the packages are written to. Its old content is deleted; only old packages are allowed. */
  readonly folder: string
  /** Writes only the executables: no tarballs, Debian packages or images. */
  readonly fileOnly?: boolean
}

/** Names of files that the package and release scripts write to their folder. */
const ownFile = /^(payctl[-_].+|draft-.+|SHA256SUMS(\.sig)?|allowed_signers)$/

/** Throws an error if the folder contains files other than old packages: they would be deleted. */
export function requirePackagesFolder(folder: string): void {
  const other = existsSync(folder) ? readdirSync(folder).find((name) => !ownFile.test(name)) : undefined
  if (other !== undefined)
    throw new ForeignFileError(`${folder} contains ${other}, which is not a package of payctl. Give another folder.`)
}

/** The folder for the packages contains other files. */
export class ForeignFileError extends Error {}

/** Writes the packages and their digests to a folder; returns the paths of the packages. Throws ForeignFileError. */
export function writePackages({ platforms, folder, fileOnly = false }: PackageOptions): readonly string[] {
  requirePackagesFolder(folder)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = platforms.flatMap((name) => packagesOf(name, folder, fileOnly))
  writeFileSync(join(folder, 'SHA256SUMS'), digestList(files))
  return files
}

const versioned = (name: PlatformName): string => `payctl-${manifest.version}-${name}`

const isWindows = (name: PlatformName): boolean => name.startsWith('win')

/** Name of the executable for a platform. */
export const executableName = (name: PlatformName): string => `${versioned(name)}${isWindows(name) ? '.exe' : ''}`

function packagesOf(name: PlatformName, folder: string, fileOnly: boolean): readonly string[] {
  const executable = join(folder, executableName(name))
  writeSingleFile(name, executable)
  // Windows gets no tarball: the install script in the tarball needs a POSIX shell.
  if (fileOnly || isWindows(name)) return [executable]
  return [
    executable,
    writeTarball(name, executable, folder),
    ...(hasDeb(name) ? [writeDeb(executable, folder, name)] : []),
    ...(hasImage(name) ? [writeImage(executable, folder, versioned(name))] : []),
  ]
}

/** Digests in the form of sha256sum, sorted by file name. */
const digestList = (files: readonly string[]): string =>
  files
    .map((file) => ({ name: basename(file), digest: digestOf(file) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, digest }) => `${digest}  ${name}\n`)
    .join('')
