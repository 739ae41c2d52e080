import CStoreCurl

/// A URL, parsed by libcurl, so that the checks and the transfer read the same parts.
struct CurlURL: ~Copyable {
    private let handle: OpaquePointer

    /// Parses a URL; `nil` if it is not an absolute URL, or if libcurl cannot be used.
    init?(_ text: String) {
        guard CurlLibrary.isReady, !text.utf8.contains(0), let handle = ccurl_url() else {
            return nil
        }
        guard
            ccurl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME))
                == CURLUE_OK
        else {
            ccurl_url_cleanup(handle)
            return nil
        }
        self.handle = handle
    }

    deinit {
        ccurl_url_cleanup(handle)
    }

    /// Returns the part of this kind; `nil` if the URL does not have it.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }

    /// The URL without user, password, query and fragment.
    var shown: String {
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT] {
            ccurl_url_set(handle, part, nil, 0)
        }
        return self[CURLUPART_URL] ?? ""
    }

    /// Returns a URL for errors and logs.
    static func shown(_ text: String) -> String {
        CurlURL(text)?.shown ?? "(no URL)"
    }
}
