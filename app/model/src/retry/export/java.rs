//! Java.

/// On java.net.http.
pub(super) const BY_HAND: &str = r#"
{{HEADER}}
//
// Send.send(url, body) returns the last response, whatever its status, or throws the last
// network error. Java 17 or newer, nothing to install.

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
%after|import java.time.ZonedDateTime;
%after|import java.time.format.DateTimeFormatter;
%after|import java.time.format.DateTimeParseException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
%!none|import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

public final class Send {
    static final int ATTEMPTS = {{ATTEMPTS}}; // the first call counts: {{RETRIES_WORD}}
    static final double BASE_MS = {{BASE}};
%!decorrelated|    static final double FACTOR = {{FACTOR}};
    static final double CAP_MS = {{CAP}};
%share|    static final double SHARE = {{SHARE}};
    static final Duration TIMEOUT = Duration.ofMillis({{TIMEOUT}});
%deadline|    static final double DEADLINE_MS = {{DEADLINE}};
%after|    static final double RETRY_AFTER_MOST_MS = {{AFTER}};
    static final Set<Integer> RETRIED = Set.of({{STATUSES}});
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Send() {}

    public static HttpResponse<String> send(String url, String body)
            throws IOException, InterruptedException {
        return send(url, body, UUID.randomUUID().toString());
    }

    public static HttpResponse<String> send(String url, String body, String key)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
%deadline|        long started = System.nanoTime();
%!decorrelated|        double nominal = Math.min(CAP_MS, BASE_MS);
%decorrelated|        double previous = Math.min(CAP_MS, BASE_MS);
        for (int attempt = 1;; attempt++) {
            HttpResponse<String> response = null;
            IOException failure = null;
            try {
                response = once(request);
            } catch (IOException error) {
                failure = error; // no reply: nobody knows whether the work was done
            }
            if (response != null && !RETRIED.contains(response.statusCode())) {
                return response;
            }
            boolean last = attempt >= ATTEMPTS;

%none|            double wait = nominal;
%full|            double wait = nominal * ThreadLocalRandom.current().nextDouble();
%equal|            double wait = nominal / 2 + nominal / 2 * ThreadLocalRandom.current().nextDouble();
%share|            double wait = nominal
%share|                    * (1 - SHARE + 2 * SHARE * ThreadLocalRandom.current().nextDouble());
%decorrelated|            previous = Math.min(CAP_MS,
%decorrelated|                    BASE_MS + (3 * previous - BASE_MS) * ThreadLocalRandom.current().nextDouble());
%decorrelated|            double wait = previous;
%after|            double asked = response == null ? 0
%after|                    : retryAfterMs(response.headers().firstValue("Retry-After").orElse(""));
%after|            last = last || asked > RETRY_AFTER_MOST_MS;
%after|            wait = Math.max(wait, asked);
%deadline|            last = last || (System.nanoTime() - started) / 1e6 + wait > DEADLINE_MS;
            if (last) {
                if (response != null) {
                    return response;
                }
                throw failure;
            }
            Thread.sleep(Math.round(wait));
%!decorrelated|            nominal = Math.min(CAP_MS, nominal * FACTOR);
        }
    }

    // One attempt. The request's own time-out would end with the headers; this one covers the
    // body as well.
    private static HttpResponse<String> once(HttpRequest request)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> reply =
                CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofString());
        try {
            return reply.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            throw new HttpTimeoutException("no whole reply in time");
        } catch (ExecutionException error) {
            throw error.getCause() instanceof IOException cause
                    ? cause : new IOException(error.getCause());
        } finally {
            reply.cancel(true); // what is still on its way is not wanted any more
        }
    }
%after|
%after|    // Whole seconds or an HTTP-date; anything else counts as not sent.
%after|    static double retryAfterMs(String value) {
%after|        value = value.strip();
%after|        if (value.matches("[0-9]+")) {
%after|            return Double.parseDouble(value) * 1000;
%after|        }
%after|        try {
%after|            ZonedDateTime at = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME);
%after|            return Math.max(0, at.toInstant().toEpochMilli() - System.currentTimeMillis());
%after|        } catch (DateTimeParseException error) {
%after|            return 0;
%after|        }
%after|    }
}
"#;

/// resilience4j.
pub(super) const LIBRARY: &str = r#"
{{HEADER}}
//
// By resilience4j 2 (io.github.resilience4j:resilience4j-retry), whose maxAttempts counts the
// first call. The wait is drawn where a retry is decided on, so that it can end the retries,
// and handed on in intervalBiFunction.
//
// Send.send(url, body) returns the last response, whatever its status, or throws the last
// network error. Java 17 or newer.

import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
%after|import java.time.ZonedDateTime;
%after|import java.time.format.DateTimeFormatter;
%after|import java.time.format.DateTimeParseException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
%!none|import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

public final class Send {
    static final int ATTEMPTS = {{ATTEMPTS}}; // the first call counts: {{RETRIES_WORD}}
    static final double BASE_MS = {{BASE}};
%!decorrelated|    static final double FACTOR = {{FACTOR}};
    static final double CAP_MS = {{CAP}};
%share|    static final double SHARE = {{SHARE}};
    static final Duration TIMEOUT = Duration.ofMillis({{TIMEOUT}});
%deadline|    static final double DEADLINE_MS = {{DEADLINE}};
%after|    static final double RETRY_AFTER_MOST_MS = {{AFTER}};
    static final Set<Integer> RETRIED = Set.of({{STATUSES}});
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Send() {}

    public static HttpResponse<String> send(String url, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        Waits waits = new Waits();
        RetryConfig config = RetryConfig.<HttpResponse<String>>custom()
                .maxAttempts(ATTEMPTS)
                .retryOnResult(response -> RETRIED.contains(response.statusCode())
                        && waits.draw(response))
                .retryOnException(error -> error instanceof IOException && waits.draw(null))
                .intervalBiFunction((attempt, outcome) -> Math.round(waits.ms))
                .failAfterMaxAttempts(false)
                .build();
        return Retry.of("send", config).executeCallable(() -> once(request));
    }

    // One attempt. The request's own time-out would end with the headers; this one covers the
    // body as well.
    private static HttpResponse<String> once(HttpRequest request)
            throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<String>> reply =
                CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofString());
        try {
            return reply.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException error) {
            throw new HttpTimeoutException("no whole reply in time");
        } catch (ExecutionException error) {
            throw error.getCause() instanceof IOException cause
                    ? cause : new IOException(error.getCause());
        } finally {
            reply.cancel(true); // what is still on its way is not wanted any more
        }
    }

    /** The waits of one call. */
    private static final class Waits {
%deadline|        private final long started = System.nanoTime();
%!decorrelated|        private double nominal = Math.min(CAP_MS, BASE_MS);
%decorrelated|        private double previous = Math.min(CAP_MS, BASE_MS);
        private double ms;

        /** Draws the next wait; false ends the retries. */
        boolean draw(HttpResponse<String> response) {
%none|            ms = nominal;
%full|            ms = nominal * ThreadLocalRandom.current().nextDouble();
%equal|            ms = nominal / 2 + nominal / 2 * ThreadLocalRandom.current().nextDouble();
%share|            ms = nominal * (1 - SHARE + 2 * SHARE * ThreadLocalRandom.current().nextDouble());
%decorrelated|            previous = Math.min(CAP_MS,
%decorrelated|                    BASE_MS + (3 * previous - BASE_MS) * ThreadLocalRandom.current().nextDouble());
%decorrelated|            ms = previous;
%after|            double asked = response == null ? 0
%after|                    : retryAfterMs(response.headers().firstValue("Retry-After").orElse(""));
%after|            if (asked > RETRY_AFTER_MOST_MS) {
%after|                return false;
%after|            }
%after|            ms = Math.max(ms, asked);
%deadline|            if ((System.nanoTime() - started) / 1e6 + ms > DEADLINE_MS) {
%deadline|                return false;
%deadline|            }
%!decorrelated|            nominal = Math.min(CAP_MS, nominal * FACTOR);
            return true;
        }
    }
%after|
%after|    // Whole seconds or an HTTP-date; anything else counts as not sent.
%after|    static double retryAfterMs(String value) {
%after|        value = value.strip();
%after|        if (value.matches("[0-9]+")) {
%after|            return Double.parseDouble(value) * 1000;
%after|        }
%after|        try {
%after|            ZonedDateTime at = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME);
%after|            return Math.max(0, at.toInstant().toEpochMilli() - System.currentTimeMillis());
%after|        } catch (DateTimeParseException error) {
%after|            return 0;
%after|        }
%after|    }
}
"#;
