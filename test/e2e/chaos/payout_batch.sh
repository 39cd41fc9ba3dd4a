printf '%s\n' 'to,amount,description' \
  '8700-0001,2500.00,Commission of January' \
  '8700-0002,1800.00,Commission of January' \
  '8800-5678,3200.00,Commission of January' > payouts.csv

pay() { payctl payments batch payouts.csv --from CRC --batch-id 2026-01 --yes; }
pay
code=$?
for attempt in 1 2 3 4 5 6 7 8 9; do
  case $code in
    8) payctl payments batch retry 2026-01 --failed --yes ;; # some have ended without money, and are due again
    10 | 11 | 12) pay ;;                                     # the same file: what was sent is not sent again
    *) break ;;
  esac
  code=$?
done
exit $code
