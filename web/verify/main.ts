/** verify.html's entry. */
document.body.append("verify");
