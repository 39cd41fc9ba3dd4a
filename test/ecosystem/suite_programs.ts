/** Tests for pytest: three pass, one fails, one breaks the contract. */
export const inPython = `
import json, urllib.request

def pay(world, key, amount=1000, **more):
    body = {"source_account_id": world.accounts[0]["id"], "recipient_phone": "87000001", "amount": amount, **more}
    headers = {"Authorization": "Bearer " + world.token, "Content-Type": "application/json", "X-Idempotency-Key": key}
    request = urllib.request.Request(world.base_url + "/api/payments", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["data"]["id"]

def test_an_order_is_paid(world):
    before = world.now()
    payment = pay(world, "order-1")
    world.advance(minutes=1)
    assert (world.now() - before).total_seconds() == 60
    assert world.wait_for_payment(payment, "completed")["status"] == "completed"
    world.wait_for_requests("payments.create", 1)
    world.wait_until_idle()
    world.assert_received("payments.create", times=1, key="order-1", body={"amount": 1000})
    world.assert_paid("87000001", 1000)
    world.assert_balanced()

def test_a_lost_answer(world):
    world.fail("payments.create", fault="lose_answer")
    try:
        pay(world, "order-2")
    except OSError:
        pass
    pay(world, "order-2")
    world.assert_paid("87000001", 1000)
    world.receive(500)
    world.assert_delivered("transaction.received", times=0)

def test_wrong_amount(world):
    pay(world, "order-3", 2000)
    world.assert_paid("87000001", 1000)

def test_misspelt(world):
    pay(world, "order-4", recipient_emial="ana@shop.example")
`

/** Tests for Go: two pass, one fails, one breaks the contract. */
export const inGo = `package shop

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"shop/payctltest"
)

func pay(t *testing.T, world *payctltest.World, key string, amount int, more map[string]any) string {
	body := map[string]any{"source_account_id": world.Accounts[0].ID, "recipient_phone": "87000001", "amount": amount}
	for name, value := range more {
		body[name] = value
	}
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest("POST", world.BaseURL+"/api/payments", bytes.NewReader(text))
	request.Header.Set("Authorization", "Bearer "+world.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Idempotency-Key", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	var envelope struct{ Data struct{ ID string } }
	if err := json.NewDecoder(answer.Body).Decode(&envelope); err != nil {
		t.Fatal(err)
	}
	return envelope.Data.ID
}

func TestAnOrderIsPaid(t *testing.T) {
	t.Parallel()
	world := payctltest.New(t)
	before := world.Now()
	payment := pay(t, world, "order-1", 1000, nil)
	world.Advance(time.Minute)
	if world.Now().Sub(before) != time.Minute {
		t.Error("the clock did not move by a minute")
	}
	world.WaitForPayment(payment, "completed")
	world.WaitForRequests("payments.create", 1)
	world.WaitUntilIdle()
	world.AssertReceived("payments.create", payctltest.Values{"times": 1, "key": "order-1"})
	world.AssertPaid("87000001", 1000)
	world.AssertBalanced()
}

func TestALostAnswer(t *testing.T) {
	t.Parallel()
	world := payctltest.New(t)
	world.Fail("payments.create", payctltest.Values{"fault": "lose_answer"})
	pay(t, world, "order-2", 1000, nil)
	pay(t, world, "order-2", 1000, nil)
	world.AssertPaid("87000001", 1000)
	world.Receive(world.Accounts[0].IBAN, 500)
	world.AssertDelivered("transaction.received", payctltest.Values{"times": 0})
}

func TestWrongAmount(t *testing.T) {
	world := payctltest.New(t)
	pay(t, world, "order-3", 2000, nil)
	world.AssertPaid("87000001", 1000)
}

func TestMisspelt(t *testing.T) {
	pay(t, payctltest.New(t), "order-4", 1000, map[string]any{"recipient_emial": "ana@shop.example"})
}
`

/** Tests for JUnit: one passes, one fails, one breaks the contract. */
export const inJava = `
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import payctl.PayctlWorld;

@ExtendWith(PayctlWorld.ForEachTest.class)
class OrdersTest {
  private static String pay(PayctlWorld world, String key, int amount, String more) throws Exception {
    String body = "{\\"source_account_id\\": \\"" + world.account + "\\", \\"recipient_phone\\": \\"87000001\\", \\"amount\\": " + amount + more + "}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(world.baseUrl + "/api/payments"))
            .header("Authorization", "Bearer " + world.token)
            .header("Content-Type", "application/json")
            .header("X-Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    String answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
    return answer.replaceFirst("(?s).*\\"id\\":\\"([^\\"]*)\\".*", "$1");
  }

  @Test
  void anOrderIsPaid(PayctlWorld world) throws Exception {
    String payment = pay(world, "order-1", 1000, "");
    world.advance(Duration.ofMinutes(1));
    world.waitForPayment(payment, "completed");
    world.waitForRequests("payments.create", 1);
    world.waitUntilIdle();
    world.assertReceived("payments.create", 1);
    world.assertPaid("87000001", 1000);
    world.receive(world.account, 500);
    world.assertDelivered("transaction.received", 0);
    world.assertBalanced();
    assertTrue(world.control("GET", "clock", null).contains("now"));
  }

  @Test
  void wrongAmount(PayctlWorld world) throws Exception {
    pay(world, "order-3", 2000, "");
    world.assertPaid("87000001", 1000);
  }

  @Test
  void misspelt(PayctlWorld world) throws Exception {
    pay(world, "order-4", 1000, ", \\"recipient_emial\\": \\"ana@shop.example\\"");
  }
}
`

/** Suites of one test each, which passes in a world without accounts. */
export const withoutAccounts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pytest: {
    'conftest.py': 'pytest_plugins = ["payctl_world"]\n',
    'test_empty.py': `
import json, urllib.request

def test_empty(world):
    assert world.accounts == []
    headers = {"Authorization": "Bearer " + world.token, "Content-Type": "application/json"}
    request = urllib.request.Request(world.base_url + "/api/accounts", b'{"currency": "CRC"}', headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request) as answer:
        account = json.load(answer)["data"]["id"]
    world.receive(500, to=account)
    world.advance(minutes=1)
    world.assert_balanced()
`,
  },
  go: {
    'go.mod': 'module shop\n\ngo 1.19\n',
    'empty_test.go': `package shop

import (
	"testing"

	"shop/payctltest"
)

func TestEmpty(t *testing.T) {
	world := payctltest.New(t)
	if len(world.Accounts) != 0 {
		t.Error("accounts")
	}
	world.AssertBalanced()
}
`,
  },
  junit: {
    'OrdersTest.java': `
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import payctl.PayctlWorld;

@ExtendWith(PayctlWorld.ForEachTest.class)
class OrdersTest {
  @Test
  void empty(PayctlWorld world) {
    assertNull(world.account);
    world.assertBalanced();
  }
}
`,
  },
}
