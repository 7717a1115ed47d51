// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Valid documents with all elements, references and attachments.
enum ValueSeeds {
    static let all = [full, any, references].map { Array($0.utf8) }

    private static let full = """
        <v id="a" xmlns:p="urn:p" p:o="p:x"><s>a&lt;b</s><s><![CDATA[c]]></s><i>-12</i><d>1.50</d><f>1e-7</f><b>AQ ID</b>\
        <h>0aFF</h><t>2024-02-29T24:00:00.125+14:00</t><date>-0044-03-15Z</date><time>23:59:59.000000001</time>\
        <p>-P1Y2M3DT4H5M6.7S</p><m>2024-05</m><q>p:n</q><l>INF NaN 1</l>\
        <n xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="1"/><c><i/><x>1</x></c>\
        <x>true</x><y>k</y><z/><y>m</y><p:e ns1="ns1:a" xmlns:ns1="urn:q">t<f/>u</p:e></v>
        """
    private static let any = """
        <v xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:p="urn:p" i:type="p:T" xml:lang="de">one<!-- c --><p:a b="p:c">p:d</p:a><?x y?></v>
        """
    private static let references = """
        <v xmlns:e="http://www.w3.org/2003/05/soap-encoding" xmlns:x="http://www.w3.org/2004/08/xop/include"><item href="#1"/>\
        <item e:ref="2"/><item id="1"><s href="#3"/><b><x:Include href="cid:a%40b"/></b></item><item e:id="2"/><m id="3">t</m></v>
        """
}
