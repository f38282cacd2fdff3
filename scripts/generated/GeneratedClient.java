// The client that openapi-generator makes for Java, on the HTTP client of the JDK: java GeneratedClient URL

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ArtifactsApi;
import org.openapitools.client.api.ConversationsApi;
import org.openapitools.client.api.SearchApi;
import org.openapitools.client.api.SourcesApi;
import org.openapitools.client.model.NewConversation;
import org.openapitools.client.model.NewSource;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.SearchBody;
import org.openapitools.client.model.SearchFilters;
import org.openapitools.client.model.SearchResult;
import org.openapitools.client.model.SourceType;

public class GeneratedClient {
    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        SourcesApi sources = new SourcesApi(client);
        SearchApi search = new SearchApi(client);
        ArtifactsApi artifacts = new ArtifactsApi(client);
        ObjectMapper json = client.getObjectMapper();
        Map<String, Object> outcome = new LinkedHashMap<>();

        var added = new NewSource().title("The ferry").type(SourceType.KNOWLEDGE_BASE)
            .content("The ferry of Selde was built in 1920 by Ines Moreau.");
        var source = sources.createSource(added, null);
        outcome.put("type", source.getType().getValue());

        var filters = new SearchFilters().sourceIds(List.of(source.getId())).type(List.of(SourceType.KNOWLEDGE_BASE));
        List<SearchResult> results = List.of();
        for (int tries = 0; tries < 600 && results.isEmpty(); tries++) {
            Thread.sleep(50);
            results = search.search(new SearchBody().query("ferry Moreau").filters(filters), null).getPrimaryResults();
        }
        outcome.put("quote", results.get(0).getEvidence().get(0).getQuote());

        var conversation = new ConversationsApi(client).createConversation(new NewConversation().title("Boats"), null);
        outcome.put("title", conversation.getTitle());

        Path file = Files.createTempFile("ibid-generated", ".bin");
        try {
            Files.write(file, new byte[] {0, (byte) 255, (byte) 254, (byte) 128, 10, 3});
            // As a form: this generator sends a file that is the whole body as its path in quotes.
            var uploaded = sources.uploadSources(
                List.of(file.toFile()), null, SourceType.KNOWLEDGE_BASE, null, null, null, null);
            String sha256 = uploaded.getItems().get(0).getArtifactSha256();
            Path received = artifacts.getArtifactContent(sha256, null).toPath();
            List<Integer> bytes = new ArrayList<>();
            for (byte one : Files.readAllBytes(received)) bytes.add(Byte.toUnsignedInt(one));
            outcome.put("bytes", bytes);
            Files.delete(received);
        } finally {
            Files.delete(file);
        }

        try {
            sources.getSource(UUID.randomUUID().toString(), null);
        } catch (ApiException error) {
            Problem problem = json.readValue(error.getResponseBody(), Problem.class);
            outcome.put("code", problem.getCode().getValue());
            outcome.put("status", problem.getStatus());
        }
        System.out.println(json.writeValueAsString(outcome));
    }
}
