import CStoreCurl

/// libcurl, which is loaded when it is first needed: a store without such effects never has it.
enum CurlLibrary {
    /// Why it can't be used; `nil` if it can. Loads it with the first call. Any thread.
    static var problem: String? { ccurl_load().map { String(cString: $0) } }

    /// True if it can be used, and has begun.
    static let isReady =
        problem == nil && ccurl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
