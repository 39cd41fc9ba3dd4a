// Removes the developer's settings for payctl and for the network, which processes of tests must not see.
for (const name of Object.keys(process.env)) {
  if (/^PAYCTL_(?!TESTS|CONFIG_DIR)|^(https?|all|no)_proxy$/i.test(name)) delete process.env[name]
}

export {}
