-- Attempts to pay an order again, by the bank's books. A key begins with its order's key, and a refund's description names
-- its payment. Leaves out attempts that came ten minutes after the previous attempt: the shop had the webhook about that
-- payment by then, and an equal payment after its webhook counts as another order in the report, too.
SELECT count(*) FROM (
  SELECT unixepoch(created_at) - lag(unixepoch(created_at)) OVER (PARTITION BY paid_order ORDER BY created_at, id) AS pause
  FROM (
    SELECT id, created_at, CASE
      WHEN description LIKE 'Refund of payment %' THEN substr(description, 1, 30)
      ELSE substr(idempotency_key, 1, instr(idempotency_key || '.', '.') - 1)
    END AS paid_order
    FROM payments
    WHERE status IN ('pending', 'processing', 'completed') AND transfer_type <> 'credit'
  )
)
WHERE pause < 600
