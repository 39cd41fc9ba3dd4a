-- Attempts to pay an order again, by the bank's books. A key begins with its order's key, and a refund's description names
-- its payment.
SELECT coalesce(sum(attempts - 1), 0)
FROM (
  SELECT count(*) AS attempts
  FROM payments
  WHERE status IN ('pending', 'processing', 'completed') AND transfer_type <> 'credit'
  GROUP BY CASE
    WHEN description LIKE 'Refund of payment %' THEN substr(description, 1, 30)
    ELSE substr(idempotency_key, 1, instr(idempotency_key || '.', '.') - 1)
  END
)
