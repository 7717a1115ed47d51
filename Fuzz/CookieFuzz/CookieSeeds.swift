// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Fields that servers send, each with the URLs of the response and the next request.
enum CookieSeeds {
    static let all = [
        "https://a.com/\nhttps://a.com/\nSID=31d4d96e407aad42; Path=/; Secure; HttpOnly\nlang=en-US; Path=/; Domain=a.com",
        "https://b.a.com/x/y\nhttps://c.a.com/x\nn=v; Domain=.a.com; Path=/x\nn=w; Domain=a.com; Max-Age=100",
        "http://a.co.uk/\nhttp://b.co.uk/\nn=v; Domain=co.uk\nn=v; Expires=Wed, 09 Jun 2099 10:18:14 GMT",
        "http://127.0.0.1/\nhttp://127.0.0.1/\nn=v; Domain=127.0.0.1\nm=v; Domain=0.0.1",
        "https://a.com/\nhttps://a.com/\n__Secure-n=v; Secure\n__Host-n=v; Secure; Path=/\n__Host-m=v; Domain=a.com",
        "https://a.www.ck/\nhttp://www.ck/\nn=\"v w\"; Domain=www.ck; SameSite=None\nn=; Max-Age=0; Domain=www.ck",
        "http://[::1]/a/b?c\nhttp://[::1]/a\n a = b = c ;Path\n=\n;\nn\tm=v; expires=Thu, 01-Jan-70 00:00:00 GMT",
        "http://a.com/\nhttp://a.com/\nn=v; Path=/-\t-\nn\tm=v\nn=v\tw; Path=/\tTRUE\t0\t__Secure-n",
        "https://a.xn--55qx5d.cn/\nhttps://xn--55qx5d.cn/\nn=v; Domain=xn--55qx5d.cn; max-age=99999999999999999999",
    ]
}
