// Processes that tests start must not see the developer's settings for payctl or for the network.
for (const name of Object.keys(process.env)) {
  if (/^PAYCTL_(?!TESTS|CONFIG_DIR)|^(https?|all|no)_proxy$/i.test(name)) delete process.env[name]
}

export {}
