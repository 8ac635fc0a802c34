import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AuthenticationApi;
import org.openapitools.client.api.ChargesApi;
import org.openapitools.client.api.SandboxApi;
import org.openapitools.client.api.TransactionsApi;
import org.openapitools.client.model.Charge;
import org.openapitools.client.model.ChargeRequest;
import org.openapitools.client.model.Credentials;
import org.openapitools.client.model.SandboxPayment;
import org.openapitools.client.model.Transaction;

/** Charges, is paid and reads, with the client that openapi-generator made of the merchants' document. */
public class Story {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("PIXGATE_URL"));
    Credentials credentials =
        new Credentials()
            .clientId(System.getenv("PIXGATE_CLIENT_ID"))
            .clientSecret(System.getenv("PIXGATE_CLIENT_SECRET"));
    client.setBearerToken(new AuthenticationApi(client).authCreateToken(credentials).getAccessToken());
    ChargeRequest order = new ChargeRequest().amount(25.9).description("Order 1042");
    Charge charge = new ChargesApi(client).chargesCreate(order, null, null);
    new SandboxApi(client).sandboxPay(charge.getId(), null, null, new SandboxPayment());
    Transaction read = new TransactionsApi(client).transactionsGet(charge.getId().toString(), null);
    System.out.println(read.getId() + " " + read.getStatus() + " " + read.getAmount());
  }
}
