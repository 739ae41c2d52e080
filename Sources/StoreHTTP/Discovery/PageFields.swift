import StoreHTTPTransport
import StoreWire

extension HTTPResponse {
    /// The header fields of a page for people, which loads nothing and has no scripts, styles or
    /// forms. A browser enforces that, shows the page in no frame, and sends its address to no
    /// other site.
    static let fieldsOfPages = [
        (
            "Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"),
    ]
}
