import CStoreCurl

/// The library libcurl, which is loaded when it is first needed. So a store without HTTP requests
/// never loads it.
enum CurlLibrary {
    /// The reason why libcurl cannot be used; `nil` if it can. The first access loads libcurl. Any
    /// thread.
    static var problem: String? { ccurl_load().map { String(cString: $0) } }

    /// True if libcurl can be used, and is initialized.
    static let isReady =
        problem == nil && ccurl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
