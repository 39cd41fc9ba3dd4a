import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { billOfMaterials } from './bill.ts'
import { digestOf } from './digests.ts'
import { type Library, librariesOf } from './libraries.ts'
import { binariesOf } from './single_file.ts'
import { appendOwned, packageTime, settle, stage, tar } from './staged.ts'

// An image for containers, as an archive of an OCI image layout.

/**
 * Images exist only for linux-x64, and only a machine of this platform can build them: the libraries in an image come
 * from the machine.
 */
export const hasImage = (platform: string): boolean => platform === `linux-${process.arch}` && process.arch === 'x64'

/**
 * User and group. A number instead of a name, so that orchestrators can verify that the user is not root. The number is
 * so high that hosts do not use it.
 */
const user = 10001

/**
 * Folders in which the user may create files. A new volume that is mounted at /worlds gets the owner of the image's
 * folder `worlds`.
 */
const writable = ['tmp', 'worlds']

/** Writes the image; returns its path. */
export function writeImage(executable: string, folder: string, name: string): string {
  const draft = mkdtempSync(join(folder, 'draft-'))
  try {
    const root = join(draft, 'root')
    fillRoot(executable, root)
    settle(root)
    for (const path of writable) chmodSync(join(root, path), path === 'tmp' ? 0o1777 : 0o755)
    const layer = join(draft, 'layer.tar')
    tar(root, ['etc', 'lib', 'lib64', 'usr'], layer)
    appendOwned(root, writable, layer, user)
    const diffId = digestOf(layer)
    // Uses gzip, because the bytes of Node's zlib depend on the processor.
    execFileSync('gzip', ['-6n', layer])
    const layout = join(draft, 'layout')
    writeLayout(layout, `${layer}.gz`, diffId)
    settle(layout)
    const file = join(folder, `${name}.oci.tar`)
    tar(layout, ['blobs', 'index.json', 'manifest.json', 'oci-layout'], file)
    return file
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** Fills the root of the image with payctl, its libraries and their documents. The image contains no shell. */
function fillRoot(executable: string, root: string): void {
  const share = join(root, 'usr/share')
  const documents = join(share, 'doc')
  stage('linux-x64', executable, join(root, 'usr'))
  for (const name of ['man', 'bash-completion', 'zsh', 'fish']) rmSync(join(share, name), { recursive: true })
  const libraries = librariesOf(executable, ...binariesOf('linux-x64'))
  for (const { path } of libraries) copyTo(root, path)
  copyLicences(root, libraries)
  writeFileSync(
    join(documents, 'payctl/sbom.cdx.json'),
    `${JSON.stringify(billOfMaterials('linux-x64', libraries), null, 2)}\n`,
  )
  for (const path of ['etc', ...writable]) mkdirSync(join(root, path), { recursive: true })
  writeFileSync(join(root, 'etc/passwd'), `payctl:x:${user}:${user}::/tmp:/nonexistent\n`)
  writeFileSync(join(root, 'etc/group'), `payctl:x:${user}:\n`)
  writeFileSync(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n')
}

/** Copies a file of this machine to the same path in the root. */
function copyTo(root: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  copyFileSync(realpathSync(path), join(root, path))
}

/** Copies the licences of the libraries' packages, with the common licences that they refer to. */
function copyLicences(root: string, libraries: readonly Library[]): void {
  for (const name of new Set(libraries.map((library) => library.package))) {
    const path = `/usr/share/doc/${name}/copyright`
    copyTo(root, path)
    const common = readFileSync(path, 'utf8').matchAll(/\/usr\/share\/common-licenses\/[A-Z][\w-]*(?:\.\d)?/g)
    for (const [license] of common) copyTo(root, license)
  }
}

/** Writes the image layout, with the manifest of `docker save` for versions of Docker that do not know the layout. */
function writeLayout(layout: string, layer: string, diffId: string): void {
  const blobs = join(layout, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const add = (type: string, file: string) => {
    const digest = digestOf(file)
    renameSync(file, join(blobs, digest))
    return {
      mediaType: `application/vnd.oci.image.${type}`,
      digest: `sha256:${digest}`,
      size: statSync(join(blobs, digest)).size,
    }
  }
  const write = (name: string, content: object): string => {
    const file = join(layout, name)
    writeFileSync(file, JSON.stringify(content))
    return file
  }
  const layers = [add('layer.v1.tar+gzip', layer)]
  const config = add('config.v1+json', write('config', configuration(diffId)))
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const image = add('manifest.v1+json', write('manifest', { schemaVersion: 2, mediaType, config, layers }))
  const tag = `payctl:${manifest.version}`
  const annotations = {
    'org.opencontainers.image.ref.name': tag,
    'io.containerd.image.name': `docker.io/library/${tag}`,
  }
  write('index.json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ ...image, annotations }],
  })
  write('oci-layout', { imageLayoutVersion: '1.0.0' })
  const pathOf = ({ digest }: { readonly digest: string }) => `blobs/${digest.replace(':', '/')}`
  write('manifest.json', [{ Config: pathOf(config), RepoTags: [tag], Layers: layers.map(pathOf) }])
}

const seconds = (count: number): number => count * 1e9

/** The image runs the emulator. Other containers reach it, so its secrets come from the environment. */
const configuration = (diffId: string) => ({
  created: new Date(packageTime * 1000).toISOString(),
  architecture: 'amd64',
  os: 'linux',
  config: {
    User: `${user}:${user}`,
    // Every user may write to /tmp, so the image also works if the container runs as another user.
    Env: ['PATH=/usr/bin', 'HOME=/tmp'],
    WorkingDir: '/tmp',
    ExposedPorts: { '4010/tcp': {} },
    Entrypoint: ['/usr/bin/payctl', 'emulate', '--host', '0.0.0.0', '--port', '4010'],
    // OCI's specification does not have health checks, but Docker runs them.
    Healthcheck: {
      Test: ['CMD', '/usr/bin/payctl', 'emulator', 'wait', 'ready', '--emulator', '--wait-timeout', '3s'],
      Interval: seconds(5),
      Timeout: seconds(5),
      StartPeriod: seconds(10),
    },
    Labels: {
      'org.opencontainers.image.title': 'payctl',
      'org.opencontainers.image.version': manifest.version,
      'org.opencontainers.image.licenses': manifest.license,
    },
  },
  rootfs: { type: 'layers', diff_ids: [`sha256:${diffId}`] },
  history: [{ created: new Date(packageTime * 1000).toISOString(), created_by: 'npm run package' }],
})
