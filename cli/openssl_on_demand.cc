// OpenSSL, loaded when a function of it is called first. Only pushing over https and hashing need
// it, and its tables of pointers are more memory than many a job takes.
//
// What the program calls is defined here, so that it does not link the two libraries. A function
// that is missing here links them again, which the test cli.libraries notices.

#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

// Ends the program as the loader would have at its start.
void* Load(const std::string& name) {
  const std::string file = name + ".so." + std::to_string(OPENSSL_SHLIB_VERSION);
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  std::fprintf(stderr, "sonde: %s\n", ::dlerror());
  std::_Exit(127);
}

void* Find(const char* function) {
  const std::string_view name = function;
  void* library = nullptr;
  if (name.starts_with("SSL_") || name.starts_with("TLS_")) {
    static void* const ssl = Load("libssl");
    library = ssl;
  } else {
    static void* const crypto = Load("libcrypto");
    library = crypto;
  }
  void* const found = ::dlsym(library, function);
  if (found != nullptr) return found;
  std::fprintf(stderr, "sonde: %s\n", ::dlerror());
  std::_Exit(127);
}

}  // namespace

#define SONDE_ON_DEMAND(result, name, parameters, arguments)                       \
  extern "C" result name parameters {                                              \
    static const auto function = reinterpret_cast<decltype(&name)>(Find(#name));   \
    return function arguments;                                                     \
  }

SONDE_ON_DEMAND(long, BIO_ctrl, (BIO * bio, int command, long number, void* argument),
                (bio, command, number, argument))
SONDE_ON_DEMAND(BIO*, BIO_new, (const BIO_METHOD* type), (type))
SONDE_ON_DEMAND(const BIO_METHOD*, BIO_s_mem, (), ())
SONDE_ON_DEMAND(int, BIO_write, (BIO * bio, const void* data, int size), (bio, data, size))
SONDE_ON_DEMAND(void, ERR_clear_error, (), ())
SONDE_ON_DEMAND(unsigned long, ERR_peek_last_error, (), ())
SONDE_ON_DEMAND(const char*, ERR_reason_error_string, (unsigned long error), (error))
SONDE_ON_DEMAND(int, EVP_DigestFinal_ex,
                (EVP_MD_CTX * context, unsigned char* digest, unsigned int* size),
                (context, digest, size))
SONDE_ON_DEMAND(int, EVP_DigestInit_ex, (EVP_MD_CTX * context, const EVP_MD* type, ENGINE* engine),
                (context, type, engine))
SONDE_ON_DEMAND(int, EVP_DigestUpdate, (EVP_MD_CTX * context, const void* data, size_t size),
                (context, data, size))
SONDE_ON_DEMAND(void, EVP_MD_CTX_free, (EVP_MD_CTX * context), (context))
SONDE_ON_DEMAND(EVP_MD_CTX*, EVP_MD_CTX_new, (), ())
SONDE_ON_DEMAND(const EVP_MD*, EVP_sha256, (), ())
SONDE_ON_DEMAND(unsigned char*, SHA256, (const unsigned char* data, size_t size, unsigned char* digest),
                (data, size, digest))
SONDE_ON_DEMAND(long, SSL_CTX_ctrl, (SSL_CTX * context, int command, long number, void* argument),
                (context, command, number, argument))
SONDE_ON_DEMAND(void, SSL_CTX_free, (SSL_CTX * context), (context))
SONDE_ON_DEMAND(int, SSL_CTX_load_verify_locations,
                (SSL_CTX * context, const char* file, const char* folder), (context, file, folder))
SONDE_ON_DEMAND(SSL_CTX*, SSL_CTX_new, (const SSL_METHOD* method), (method))
SONDE_ON_DEMAND(int, SSL_CTX_set_default_verify_paths, (SSL_CTX * context), (context))
SONDE_ON_DEMAND(void, SSL_CTX_set_verify,
                (SSL_CTX * context, int mode, SSL_verify_cb callback), (context, mode, callback))
SONDE_ON_DEMAND(int, SSL_connect, (SSL * ssl), (ssl))
SONDE_ON_DEMAND(long, SSL_ctrl, (SSL * ssl, int command, long number, void* argument),
                (ssl, command, number, argument))
SONDE_ON_DEMAND(void, SSL_free, (SSL * ssl), (ssl))
SONDE_ON_DEMAND(X509_VERIFY_PARAM*, SSL_get0_param, (SSL * ssl), (ssl))
SONDE_ON_DEMAND(int, SSL_get_error, (const SSL* ssl, int outcome), (ssl, outcome))
SONDE_ON_DEMAND(long, SSL_get_verify_result, (const SSL* ssl), (ssl))
SONDE_ON_DEMAND(SSL*, SSL_new, (SSL_CTX * context), (context))
SONDE_ON_DEMAND(int, SSL_read, (SSL * ssl, void* buffer, int size), (ssl, buffer, size))
SONDE_ON_DEMAND(int, SSL_set1_host, (SSL * ssl, const char* host), (ssl, host))
SONDE_ON_DEMAND(void, SSL_set_bio, (SSL * ssl, BIO* in, BIO* out), (ssl, in, out))
SONDE_ON_DEMAND(int, SSL_write, (SSL * ssl, const void* data, int size), (ssl, data, size))
SONDE_ON_DEMAND(const SSL_METHOD*, TLS_client_method, (), ())
SONDE_ON_DEMAND(int, X509_VERIFY_PARAM_set1_ip_asc,
                (X509_VERIFY_PARAM * parameters, const char* address), (parameters, address))
SONDE_ON_DEMAND(const char*, X509_verify_cert_error_string, (long verdict), (verdict))
