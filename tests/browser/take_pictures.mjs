// take_pictures.mjs: the pictures of the documents, from invented profiles.
//   SONDE_PROGRAM=build/release/cli/sonde SONDE_SOURCE=. node take_pictures.mjs
import {join} from 'node:path';
import {draw, launch, open} from './browser.mjs';
import {MockServer, snapshotOf, taskOf} from './mock_server.mjs';

// A server as it might be: one stack a line.
const HANDLE = 'main;asio::io_context::run();asio::detail::scheduler::do_run_one();served::Session::OnReadable(std::error_code)';
const SEARCH = HANDLE + ';served::Router::Dispatch(served::Request const&);served::SearchHandler::Handle(served::Request const&)';
const folded = `${HANDLE};asio::basic_stream_socket::async_read_some;readv;entry_SYSCALL_64_[k];do_syscall_64_[k];sock_read_iter_[k];tcp_recvmsg_[k] 210
${HANDLE};http::Parser::Feed(std::string_view);http::Parser::ParseHeader() 160
${HANDLE};http::Parser::Feed(std::string_view) 40
${SEARCH};query::Parse(std::string_view);query::Lexer::Next() 90
${SEARCH};query::Parse(std::string_view) 35
${SEARCH};index::Reader::Search(index::Query const&);index::PostingList::Intersect(index::PostingList const&);index::BlockDecoder<index::Delta>::Decode() 620
${SEARCH};index::Reader::Search(index::Query const&);index::PostingList::Intersect(index::PostingList const&) 230
${SEARCH};index::Reader::Search(index::Query const&);index::Scorer::Bm25(index::Document const&);std::log2 110
${SEARCH};index::Reader::Search(index::Query const&);index::Scorer::Bm25(index::Document const&) 180
${SEARCH};index::Reader::Search(index::Query const&);std::partial_sort<index::Hit*, index::ByScore>(index::Hit*, index::Hit*, index::Hit*, index::ByScore);std::__heap_select<index::Hit*> 140
${SEARCH};json::Writer::Write(served::Answer const&);json::Writer::Quote(std::string_view) 170
${SEARCH};json::Writer::Write(served::Answer const&);std::vector<char>::_M_realloc_insert;operator new(unsigned long);malloc;_int_malloc 95
${SEARCH};json::Writer::Write(served::Answer const&) 60
${HANDLE};served::Session::Reply(served::Answer const&);deflate;deflate_slow;longest_match 260
${HANDLE};served::Session::Reply(served::Answer const&);asio::basic_stream_socket::async_write_some;writev;entry_SYSCALL_64_[k];do_syscall_64_[k];sock_write_iter_[k];tcp_sendmsg_[k] 190
main;asio::io_context::run();asio::detail::scheduler::do_run_one();served::Reloader::Tick();index::Merge(index::Segment const&, index::Segment const&);index::BlockEncoder<index::Delta>::Encode() 240
main;asio::io_context::run();asio::detail::scheduler::do_run_one();served::Reloader::Tick();index::Merge(index::Segment const&, index::Segment const&) 70
main;asio::io_context::run();asio::detail::epoll_reactor::run;epoll_wait;entry_SYSCALL_64_[k];do_epoll_wait_[k] 45
start_thread;served::LogWriter::Run();write;entry_SYSCALL_64_[k];vfs_write_[k];ext4_file_write_iter_[k] 85
`;

const images = join(process.env.SONDE_SOURCE, 'docs/images');
const browser = await launch();

const file = await open(browser, draw('served.svg', folded, '--title', 'served'), {viewport: {width: 1200, height: 480}});
await file.waitForTimeout(300);
await file.screenshot({path: join(images, 'flame-graph.png')});

const mock = new MockServer(process.env.SONDE_SOURCE);
mock.stacks = folded.trimEnd().split('\n').map(line => [line.slice(0, line.lastIndexOf(' ')), 1e6 * Number(line.slice(line.lastIndexOf(' ')))]);
mock.tasks = Array.from({length: 40}, (_, i) => taskOf(i + 1, ['accept', 'session', 'flush', 'gc'][i % 4] + ' ' + i, (i * 7919331) % 1e9));
mock.snapshots = [3, 2, 1].map(snapshotOf);
const page = await open(browser, await mock.start(), {viewport: {width: 1200, height: 720}});
await page.waitForTimeout(12_000);
await page.screenshot({path: join(images, 'page.png')});

await browser.close();
await mock.stop();
