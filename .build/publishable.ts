import manifest from '../package.json' with { type: 'json' }

// `npm publish` runs this check: it must not publish placeholder addresses.

const { repository, bugs } = manifest
for (const url of [repository.url, bugs.url]) {
  if (new URL(url).hostname.endsWith('.example'))
    throw new Error(`package.json: ${url} is a placeholder; replace it with the real address`)
}
