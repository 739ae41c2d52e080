import StoreTraceExport
import Testing

@Suite struct CollectorURLTests {
    @Test(arguments: [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
        ("https://otlp.example/otlp", "https://otlp.example/otlp/v1/traces"),
        ("https://otlp.example/v1/traces", "https://otlp.example/v1/traces"),
        ("https://otlp.example/v1/traces/", "https://otlp.example/v1/traces"),
        ("http://[::1]:4318", "http://[::1]:4318/v1/traces"),
        ("http://collector", "http://collector/v1/traces"),
    ])
    func `the path of OTLP is added unless it is there`(text: String, expected: String) {
        #expect(CollectorURL(text)?.text == expected)
    }

    @Test(arguments: [
        "", "collector:4318", "grpc://collector:4317", "http://", "http:///v1/traces",
        "http://user:secret@collector", "http://user@collector", "http://collector?key=secret",
        "http://collector#a",
        "http://collector:port", "http://collector:0", "http://collector:65536", "http://:4318",
        "http://a b", "file:///etc/passwd", "http://[::1",
    ])
    func `a text that is no collector URL is refused`(text: String) {
        #expect(CollectorURL(text) == nil)
    }

    @Test func `without TLS, other machines can read the spans`() {
        for text in [
            "http://127.0.0.1:1", "http://[::1]:1", "http://localhost", "http://LOCALHOST",
            "https://c",
        ] {
            #expect(CollectorURL(text)?.exposesSpans == false)
        }
        for text in ["http://collector:4318", "http://127.example.com:4318"] {
            #expect(CollectorURL(text)?.exposesSpans == true)
        }
    }
}
