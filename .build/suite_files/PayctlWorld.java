package payctl;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A world of the payctl emulator for each test. Made by: payctl emulator helper junit
 *
 * <p>Run the tests: {@code payctl emulate --settle manual -- mvn test}. Bodies and answers are JSON text, which any
 * library reads. Amounts are in minor units.
 *
 * <pre>{@code
 * @ExtendWith(PayctlWorld.ForEachTest.class)
 * class OrdersTest {
 *   @Test
 *   void anOrderIsPaid(PayctlWorld world) {
 *     String payment = payOrder(world.baseUrl, world.token, world.account);
 *     world.advance(Duration.ofMinutes(1));
 *     world.waitForPayment(payment, "completed");
 *     world.assertPaid("87000001", 1000);
 *   }
 * }
 * }</pre>
 */
public final class PayctlWorld {
  public final String name;
  public final String baseUrl;
  public final String authUrl;
  public final String token;
  public final String clientId;
  public final String clientSecret;

  /** Id of the first account of the user; null if the user has no account. */
  public final String account;

  /** Answer of the emulator to the creation of the world: JSON, with user and accounts. */
  public final String made;

  /** Limit of waits, in real time. */
  public Duration timeout = Duration.ofSeconds(10);

  private PayctlWorld(String made) {
    this.made = made;
    name = text(made, "name");
    baseUrl = text(made, "base_url");
    authUrl = text(made, "auth_url");
    token = text(made, "token");
    clientId = text(made, "client_id");
    clientSecret = text(made, "client_secret");
    account = found(made.substring(made.indexOf("\"accounts\"")), "id");
  }

  /** Makes a world before each test that has one as a parameter. The test fails if the program broke the contract. */
  public static final class ForEachTest implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
      return parameter.getParameter().getType() == PayctlWorld.class;
    }

    @Override
    public PayctlWorld resolveParameter(ParameterContext parameter, ExtensionContext test) {
      String emulator = System.getenv("PAYCTL_CONTROL_URL");
      if (emulator == null) fail("Run the tests under the emulator: payctl emulate --settle manual -- mvn test");
      PayctlWorld world =
          new PayctlWorld(call(emulator, "POST", "worlds", "{\"ttl_seconds\": 3600, \"strict\": true}"));
      // JUnit before 5.13 does not close an AutoCloseable.
      @SuppressWarnings("deprecation")
      ExtensionContext.Store.CloseableResource end = () -> world.end(emulator);
      test.getStore(Namespace.create(PayctlWorld.class)).put(world.name, end);
      return world;
    }
  }

  private void end(String emulator) {
    String breaches;
    try {
      breaches = control("GET", "breaches", null);
    } finally {
      call(emulator, "DELETE", "worlds/" + name, null);
    }
    if (!breaches.contains("\"count\":0,")) fail("The program broke the contract: " + breaches);
  }

  /** Calls a control endpoint of this world: {@code control("POST", "rails", "{\"pin\": \"offline\"}")}. */
  public String control(String method, String path, String body) {
    return call(baseUrl, method, path, body);
  }

  /** Moves the clock. Everything that is due by then happens before it returns. */
  public void advance(Duration duration) {
    control("POST", "clock/advance", "{\"ms\": " + duration.toMillis() + "}");
  }

  /** Makes requests fail: {@code failNext("payments.create", "lose_answer")}. */
  public void failNext(String endpoint, String fault) {
    control("POST", "faults", "{\"endpoint\": \"" + endpoint + "\", \"fault\": \"" + fault + "\"}");
  }

  /** Sends money to an account, by its id, its IBAN or the phone of its owner. */
  public void receive(String to, long amount) {
    control("POST", "credits", "{\"to\": \"" + to + "\", \"amount\": " + amount + "}");
  }

  public void waitForPayment(String payment, String status) {
    waitFor("\"payment\": \"" + payment + "\", \"status\": \"" + status + "\"");
  }

  /** Waits until as many webhooks were accepted. */
  public void waitForDeliveries(int count) {
    waitFor("\"deliveries\": " + count);
  }

  public void waitForRequests(String endpoint, int count) {
    waitFor("\"requests\": " + count + ", \"endpoint\": \"" + endpoint + "\"");
  }

  /** Waits until nothing is due at any time and no webhook is being sent. */
  public void waitUntilIdle() {
    waitFor("\"idle\": true");
  }

  private void waitFor(String condition) {
    control("POST", "wait", "{" + condition + ", \"timeout_ms\": " + timeout.toMillis() + "}");
  }

  /** Exactly as many requests to an endpoint came; 0: none. */
  public void assertReceived(String endpoint, int times) {
    check("POST", "received", "{\"endpoint\": \"" + endpoint + "\", \"times\": " + times + "}");
  }

  /** Exactly as many webhooks of an event were accepted. */
  public void assertDelivered(String event, int times) {
    check("POST", "delivered", "{\"event\": \"" + event + "\", \"times\": " + times + "}");
  }

  /** A payee, by IBAN or phone, was paid the amount exactly once. */
  public void assertPaid(String payee, long amount) {
    check("POST", "paid", "{\"payee\": \"" + payee + "\", \"amount\": " + amount + "}");
  }

  /** The ledger adds up. */
  public void assertBalanced() {
    check("GET", "balanced", null);
  }

  private void check(String method, String assertion, String expected) {
    String result = control(method, "assertions/" + assertion, expected);
    if (!result.contains("\"pass\":true")) fail(result);
  }

  private static final HttpClient http = HttpClient.newHttpClient();

  private static String call(String url, String method, String path, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + "/_emulator/" + path)).header("Content-Type", "application/json");
    String token = System.getenv("PAYCTL_CONTROL_TOKEN");
    if (token != null) request.header("Authorization", "Bearer " + token);
    request.method(
        method,
        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
    try {
      HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300) fail(method + " " + path + ": " + text(answer.body(), "message"));
      return answer.body();
    } catch (IOException error) {
      return fail(method + " " + path, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      return fail(method + " " + path, error);
    }
  }

  private static String text(String json, String member) {
    String text = found(json, member);
    return text != null ? text : fail("The answer has no " + member + ": " + json);
  }

  /** The first member of this name in JSON whose value is a string; null if there is none. */
  private static String found(String json, String member) {
    var found = Pattern.compile("\"" + member + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
    return found.find() ? found.group(1) : null;
  }
}
