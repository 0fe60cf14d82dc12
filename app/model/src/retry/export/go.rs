//! Go.

/// On net/http.
pub(super) const BY_HAND: &str = r#"
{{HEADER}}
//
// Send(ctx, url, body) gives back the last reply, whatever its status, or the last network
// error. Go 1.22 or newer, nothing to install.
package send

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
%after|	"math"
%!none|	mrand "math/rand/v2"
	"net/http"
%after|	"strconv"
%after|	"strings"
	"time"
)

const attempts = {{ATTEMPTS}} // the first call counts: {{RETRIES_WORD}}
const baseMS = {{BASE}}
%!decorrelated|const factor = {{FACTOR}}
const capMS = {{CAP}}
%share|const share = {{SHARE}}
const timeoutMS = {{TIMEOUT}}
%deadline|const deadlineMS = {{DEADLINE}}
%after|const retryAfterMostMS = {{AFTER}}

// Reply is the answer to one attempt.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send posts a body under a new key.
func Send(ctx context.Context, url string, body []byte) (*Reply, error) {
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		return nil, err
	}
	return SendWithKey(ctx, url, body, hex.EncodeToString(key[:]))
}

// SendWithKey posts a body under this key.
func SendWithKey(ctx context.Context, url string, body []byte, key string) (*Reply, error) {
%deadline|	started := time.Now()
%!decorrelated|	nominal := min(float64(capMS), baseMS)
%decorrelated|	previous := min(float64(capMS), baseMS)
	for attempt := 1; ; attempt++ {
		// An error is no reply: nobody knows whether the work was done.
		reply, err := once(ctx, url, body, key)
		if err == nil && !retried(reply.Status) {
			return reply, nil
		}
		if attempt >= attempts || ctx.Err() != nil {
			return reply, err
		}

%none|		wait := nominal
%full|		wait := nominal * mrand.Float64()
%equal|		wait := nominal/2 + nominal/2*mrand.Float64()
%share|		wait := nominal * (1 - share + 2*share*mrand.Float64())
%decorrelated|		previous = min(float64(capMS), baseMS+(3*previous-baseMS)*mrand.Float64())
%decorrelated|		wait := previous
%after|		if reply != nil {
%after|			asked := retryAfterMS(reply.Header.Get("Retry-After"))
%after|			if asked > retryAfterMostMS {
%after|				return reply, err
%after|			}
%after|			wait = math.Max(wait, asked)
%after|		}
%deadline|		if float64(time.Since(started).Milliseconds())+wait > deadlineMS {
%deadline|			return reply, err
%deadline|		}
		select {
		case <-time.After(time.Duration(wait * float64(time.Millisecond))):
		case <-ctx.Done():
			return reply, err
		}
%!decorrelated|		nominal = min(float64(capMS), nominal*factor)
	}
}

func retried(status int) bool {
	switch status {
	case {{STATUSES}}:
		return true
	}
	return false
}

// One attempt; its time-out covers the body as well.
func once(ctx context.Context, url string, body []byte, key string) (*Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, timeoutMS*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return &Reply{response.StatusCode, response.Header, text}, nil
}
%after|
%after|// Whole seconds or an HTTP-date; anything else counts as not sent.
%after|func retryAfterMS(value string) float64 {
%after|	value = strings.TrimSpace(value)
%after|	if value != "" && strings.Trim(value, "0123456789") == "" {
%after|		seconds, _ := strconv.ParseFloat(value, 64)
%after|		return seconds * 1000
%after|	}
%after|	at, err := http.ParseTime(value)
%after|	if err != nil {
%after|		return 0
%after|	}
%after|	return math.Max(0, float64(time.Until(at).Milliseconds()))
%after|}
"#;

/// go-retryablehttp.
pub(super) const LIBRARY: &str = r#"
{{HEADER}}
//
// By go-retryablehttp 0.7 (go get github.com/hashicorp/go-retryablehttp), which counts
// retries. The wait is drawn in CheckRetry, so that it can end the retries, and handed on in
// Backoff.
//
// Send(ctx, url, body) gives back the last response, whatever its status, or the last network
// error. Its body is yours to read and to close: one that stalls is an error there, after the
// time-out, and is not tried again. Go 1.21 or newer.
package send

import (
	"context"
	"crypto/rand"
	"encoding/hex"
%after|	"math"
%!none|	mrand "math/rand"
	"net/http"
%after|	"strconv"
%after|	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const retries = {{RETRIES}} // {{ATTEMPTS}} attempts
const baseMS = {{BASE}}
%!decorrelated|const factor = {{FACTOR}}
const capMS = {{CAP}}
%share|const share = {{SHARE}}
const timeoutMS = {{TIMEOUT}}
%deadline|const deadlineMS = {{DEADLINE}}
%after|const retryAfterMostMS = {{AFTER}}

// Send posts a body under a new key. The caller closes the body of the response.
func Send(ctx context.Context, url string, body []byte) (*http.Response, error) {
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		return nil, err
	}
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, url, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", hex.EncodeToString(key[:]))
	return newClient().Do(request)
}

// One client for each call: it remembers the wait.
func newClient() *retryablehttp.Client {
%deadline|	started := time.Now()
%!decorrelated|	nominal := min(float64(capMS), baseMS)
%decorrelated|	previous := min(float64(capMS), baseMS)
	wait := 0.0
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.RetryMax = retries
	client.HTTPClient.Timeout = timeoutMS * time.Millisecond
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	client.CheckRetry = func(ctx context.Context, response *http.Response, err error) (bool, error) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err == nil && !retried(response.StatusCode) {
			return false, nil
		}
%none|		wait = nominal
%full|		wait = nominal * mrand.Float64()
%equal|		wait = nominal/2 + nominal/2*mrand.Float64()
%share|		wait = nominal * (1 - share + 2*share*mrand.Float64())
%decorrelated|		previous = min(float64(capMS), baseMS+(3*previous-baseMS)*mrand.Float64())
%decorrelated|		wait = previous
%after|		if response != nil {
%after|			asked := retryAfterMS(response.Header.Get("Retry-After"))
%after|			if asked > retryAfterMostMS {
%after|				return false, nil
%after|			}
%after|			wait = math.Max(wait, asked)
%after|		}
%deadline|		if float64(time.Since(started).Milliseconds())+wait > deadlineMS {
%deadline|			return false, nil
%deadline|		}
%!decorrelated|		nominal = min(float64(capMS), nominal*factor)
		return true, nil
	}
	client.Backoff = func(_, _ time.Duration, _ int, _ *http.Response) time.Duration {
		return time.Duration(wait * float64(time.Millisecond))
	}
	return client
}

func retried(status int) bool {
	switch status {
	case {{STATUSES}}:
		return true
	}
	return false
}
%after|
%after|// Whole seconds or an HTTP-date; anything else counts as not sent.
%after|func retryAfterMS(value string) float64 {
%after|	value = strings.TrimSpace(value)
%after|	if value != "" && strings.Trim(value, "0123456789") == "" {
%after|		seconds, _ := strconv.ParseFloat(value, 64)
%after|		return seconds * 1000
%after|	}
%after|	at, err := http.ParseTime(value)
%after|	if err != nil {
%after|		return 0
%after|	}
%after|	return math.Max(0, float64(time.Until(at).Milliseconds()))
%after|}
"#;
