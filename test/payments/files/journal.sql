PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE IF NOT EXISTS "intents" (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    profile TEXT NOT NULL,
    base_url TEXT NOT NULL,
    user TEXT,
    world TEXT,
    idempotency_key TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('prepared', 'sent', 'settled', 'rejected', 'unknown')),
    payment_id TEXT,
    payment_status TEXT,
    error TEXT,
    doubts INTEGER NOT NULL DEFAULT 0 CHECK (doubts >= 0),
    batch TEXT,
    line INTEGER,
    reference TEXT
  ) STRICT;
INSERT INTO intents VALUES(1,'int_5zwbr6yf0wzk','2026-11-22T11:12:41.122Z','2026-11-22T11:12:41.161Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-4894795374a2e5434d2611d96840c70aa1b6ea86395f5e0e9b8f9c0ee4e337ee','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":150025,"recipient_phone":"87000001","description":"November cleaning service"}','settled','01a202f5-50c3-7000-8000-04085bbe0d19','pending',NULL,0,'b_a10fa7081285',2,'INV-1');
INSERT INTO intents VALUES(2,'int_n4m53ysfvz4y','2026-11-22T11:12:41.122Z','2026-11-22T11:12:41.146Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-051f302d52ad11451bfa679f302a0e8e82d6abdb3958f18ab52d2b14c5c535b4','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":150025,"recipient_phone":"87000001","description":"November cleaning service"}','settled','01a202f5-50b6-7000-8000-010f119cba96','pending',NULL,0,'b_a10fa7081285',3,'INV-2');
INSERT INTO intents VALUES(3,'int_2v7728nzfamx','2026-11-22T11:12:41.122Z','2026-11-22T11:12:41.157Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-c8fba4f1f57b703c17e4d8db8779517e4a479011d907f7da89233795d19c8dfb','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":2000000,"recipient_iban":"CR70015200100000000002","description":"Salary of \"María\", November"}','settled','01a202f5-50c2-7000-8000-017201b89aea','pending',NULL,0,'b_a10fa7081285',4,'EMP-7');
INSERT INTO intents VALUES(4,'int_5krm5sd7j1hc','2026-11-22T11:12:41.122Z','2026-11-22T11:12:41.159Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-723b0c9592bf3423a79e29635841be5575de2435271bde0f9dd0b852fe4cfbfe','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":50,"recipient_phone":"87000001"}','settled','01a202f5-50c3-7000-8000-0077af7c47f2','pending',NULL,0,'b_a10fa7081285',5,NULL);
INSERT INTO intents VALUES(5,'int_nkf54z0mmth0','2026-11-22T11:12:41.122Z','2026-11-22T11:12:41.165Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-c570d33f51b082595ff3bb2481f0d05c02f9ee3b4604cb78f3b29cfbaceaf581','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":700,"recipient_iban":"CR70015200100000000002","description":"Pagos de niñez y educación"}','settled','01a202f5-50c8-7000-8000-00893198f280','pending',NULL,0,'b_a10fa7081285',6,'ñ');
INSERT INTO intents VALUES(6,'int_vnaskp2tqzsh','2026-11-22T11:12:41.368Z','2026-11-22T11:12:41.406Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-720cb9d6ed833f26d234895365174dd1ebba5370e9338bd98c05a48232f0e763','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":150025,"recipient_phone":"87000001","description":"November cleaning service"}','settled','01a202f5-51ba-7000-8000-00299f921869','pending',NULL,0,'2026-10',2,'INV-1');
INSERT INTO intents VALUES(7,'int_yz8e0s99w6kf','2026-11-22T11:12:41.368Z','2026-11-22T11:12:41.401Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-6dab98bc642a6444c67559bd83728829a6c0d4c61659bfb9d3d39ffd6210f854','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":150025,"recipient_phone":"87000001","description":"November cleaning service"}','settled','01a202f5-51b3-7000-8000-02c01f8aa6e7','pending',NULL,0,'2026-10',3,'INV-2');
INSERT INTO intents VALUES(8,'int_fa9j92t0bt9a','2026-11-22T11:12:41.368Z','2026-11-22T11:12:41.405Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-137c98563f0c23f015056b75817df09e040e486330060f59baa5b9992f38aee4','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":2000000,"recipient_iban":"CR70015200100000000002","description":"Salary of \"María\", November"}','settled','01a202f5-51b3-7000-8000-057afc30fc9b','pending',NULL,0,'2026-10',4,'EMP-7');
INSERT INTO intents VALUES(9,'int_rt6537s4rec8','2026-11-22T11:12:41.368Z','2026-11-22T11:12:41.406Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-810e96efd99d5e251224185216968404ca79d84df4c49e1908a1c19047556d4c','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":50,"recipient_phone":"87000001"}','settled','01a202f5-51b9-7000-8000-033678afae93','pending',NULL,0,'2026-10',5,NULL);
INSERT INTO intents VALUES(10,'int_asw3b6j84t5t','2026-11-22T11:12:41.368Z','2026-11-22T11:12:41.413Z','default','http://127.0.0.1:4010','01900000-0000-7000-8000-000000000001','01a202f5-4e94-7000-8000-00f361e8b0e6','batch-b4061d1913867be8de8e6c5a21be027a6dda0ba60e0fb5dfa1643bf098ef0def','{"source_account_id":"01900000-0000-7000-8000-0000000000c1","amount":700,"recipient_iban":"CR70015200100000000002","description":"Pagos de niñez y educación"}','settled','01a202f5-51c3-7000-8000-00dea9233aa4','pending',NULL,0,'2026-10',6,'ñ');
CREATE UNIQUE INDEX intents_key ON intents (idempotency_key, base_url, user, coalesce(world, ''));
CREATE INDEX intents_unsettled ON intents (seq) WHERE status IN ('prepared', 'sent', 'unknown');
CREATE INDEX intents_batch ON intents (batch) WHERE batch IS NOT NULL;
PRAGMA user_version = 3;
COMMIT;
