import StoreHTTPTransport
import StoreWire

extension HTTPResponse {
    /// The header fields of a page for people, which has no scripts, styles, forms or anything that
    /// is loaded: a browser lets it have none, shows it in no frame, and names its address to no
    /// other site.
    static let fieldsOfPages = [
        (
            "Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"),
    ]
}
